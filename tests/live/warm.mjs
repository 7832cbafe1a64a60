// A person who runs three turns in one editor, so that the agent stays warm, and changes what is
// above the third question:
//   node warm.mjs AGENT_DOC DOCUMENT DELETED WORDS PROMPT PROMPT
// The document has the first question. WORDS, DELETED: as in person.mjs, before the last prompt.
// Prints how each turn ended, then the server's exit code. The document is saved.
import { readFileSync, writeFileSync } from 'node:fs';
import { Editor } from './editor.mjs';
import { changed } from './person.mjs';

const [agentDoc, document, deleted, words, ...prompts] = process.argv.slice(2);
const editor = new Editor(agentDoc, document);

await editor.begin();
console.log(await editor.run());
for (const [index, prompt] of prompts.entries()) {
  if (index === prompts.length - 1) editor.change(changed(editor.text, deleted, words));
  editor.change(`${editor.text}${prompt}\n`);
  console.log(await editor.run());
}
writeFileSync(document, editor.text);
console.log(`server ${await editor.end()}`);
