// An editor that runs one document through `agent-doc serve` and goes away in the middle without a
// word, as if it had crashed. It does not check the protocol: it takes every edit as it comes.
//   node editor.mjs AGENT_DOC DOCUMENT TEXT
// Goes away when TEXT has come in an edit or in an agentDoc/turn. Prints the server's exit code and
// how it ended.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const [agentDoc, document, awaited] = process.argv.slice(2);
const uri = pathToFileURL(document).href;
const folder = { uri: pathToFileURL(dirname(document)).href, name: 'project' };
const server = spawn(agentDoc, ['serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
let version = 1;
let received = Buffer.alloc(0);
let seen = '';

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
  server.stdin.write(body);
}

function applyEdit({ id, params }) {
  const { range, newText } = params.edit.documentChanges[0].edits[0];
  send({
    method: 'textDocument/didChange',
    params: {
      textDocument: { uri, version: ++version },
      contentChanges: [{ range, text: newText }],
    },
  });
  send({ id, result: { applied: true } });
  return newText;
}

function onMessage(message) {
  if (message.id === 1 && message.result) begin();
  if (message.method === 'workspace/applyEdit') seen += applyEdit(message);
  if (message.method === 'agentDoc/turn') seen += JSON.stringify(message.params);
  if (message.method === 'window/workDoneProgress/create') send({ id: message.id, result: null });
  const over =
    message.method === 'agentDoc/turn' &&
    ['done', 'failed', 'cancelled'].includes(message.params.state);
  if (over || seen.includes(awaited)) server.stdin.destroy();
}

function begin() {
  send({ method: 'initialized', params: {} });
  send({
    method: 'textDocument/didOpen',
    params: {
      textDocument: { uri, languageId: 'markdown', version, text: readFileSync(document, 'utf8') },
    },
  });
  send({
    id: 2,
    method: 'workspace/executeCommand',
    params: { command: 'agentDoc.run', arguments: [{ uri }] },
  });
}

server.stdout.on('data', (bytes) => {
  received = Buffer.concat([received, bytes]);
  for (;;) {
    const head = /^Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(
      received.toString('latin1'),
    );
    if (!head || received.length < head[0].length + Number(head[1])) return;
    const end = head[0].length + Number(head[1]);
    const body = received.subarray(head[0].length, end);
    received = received.subarray(end);
    onMessage(JSON.parse(body.toString('utf8')));
  }
});
server.stdin.on('error', () => {});
server.on('exit', (code, signal) =>
  console.log(
    seen.includes(awaited)
      ? `gone, server ${signal ?? code}`
      : `the text never came, server ${signal ?? code}`,
  ),
);
send({
  id: 1,
  method: 'initialize',
  params: {
    processId: null,
    rootUri: folder.uri,
    workspaceFolders: [folder],
    capabilities: {
      workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } },
      experimental: { agentDoc: { turn: true, strictEdits: true } },
    },
  },
});
