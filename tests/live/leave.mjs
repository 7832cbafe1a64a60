// An editor that runs one document and goes away in the middle without a word, as if it had
// crashed:
//   node leave.mjs AGENT_DOC DOCUMENT TEXT
// Goes away when TEXT has come in an edit or in an agentDoc/turn, or the turn is over. Prints the
// server's exit code and how it ended.
import { Editor } from './editor.mjs';

const [agentDoc, document, awaited] = process.argv.slice(2);
const editor = new Editor(agentDoc, document);
let seen = '';
editor.onNews = (news) => {
  seen += news;
  if (seen.includes(awaited)) editor.server.stdin.destroy();
};
editor.server.on('exit', (code, signal) => {
  const how = seen.includes(awaited) ? 'gone' : 'the text never came';
  console.log(`${how}, server ${signal ?? code}`);
});
await editor.begin();
await editor.run();
editor.server.stdin.destroy();
