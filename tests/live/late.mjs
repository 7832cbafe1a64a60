// An editor that stays open after a turn, until the agent has said something more:
//   node late.mjs AGENT_DOC DOCUMENT FIFO
// Writes into FIFO when the turn is over: a command of the agent reads it. Prints how the turn
// ended, the first message to the person after it, and the server's exit code.
import { writeFileSync } from 'node:fs';
import { Editor } from './editor.mjs';

const [agentDoc, document, fifo] = process.argv.slice(2);
const editor = new Editor(agentDoc, document);
await editor.begin();
console.log(await editor.run());
const message = editor.nextMessage();
writeFileSync(fifo, 'end\n');
console.log(await message);
console.log(`server ${await editor.end()}`);
