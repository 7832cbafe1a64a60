// A person who says the second question to the agent while a command of the first turn runs:
//   node steer.mjs AGENT_DOC DOCUMENT FIFO PROMPT
// Writes into FIFO once it is said: that command reads it. Prints what the server answered
// ("steered", "queued" or its error), how each turn ended, and the server's exit code. The document
// is saved.
import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Editor } from './editor.mjs';

const [agentDoc, document, fifo, prompt] = process.argv.slice(2);
const editor = new Editor(agentDoc, document);

await editor.begin();
const said = new Promise((resolve) => {
  let commandRuns = false;
  let isSaid = false;
  editor.onNews = (news) => {
    commandRuns ||= news.includes('"phase":"tool"');
    if (isSaid || !commandRuns || !editor.text.includes('I will wait.')) return;
    isSaid = true;
    editor.change(`${editor.text}${prompt}\n`);
    resolve(editor.steer());
  };
});
const run = editor.run();
console.log(await said);
await writeFile(fifo, 'end\n');
await run;
console.log(await editor.allOver(2));
writeFileSync(document, editor.text);
console.log(`server ${await editor.end()}`);
