// The tests' probe in the extension host. It calls functions that the test sends, with the API of
// VS Code, and notes every change of a document. It connects to the socket $AGENT_DOC_PROBE, with
// one JSON message per line.
const net = require('node:net');
const readline = require('node:readline');
const vscode = require('vscode');

const changes = [];

exports.activate = (context) => {
  const socket = net.connect(process.env.AGENT_DOC_PROBE);
  const answer = (message) => socket.write(JSON.stringify(message) + '\n');
  readline.createInterface({ input: socket }).on('line', async (line) => {
    const { id, body, argument } = JSON.parse(line);
    try {
      const call = new Function(
        'vscode',
        'changes',
        'argument',
        `return (${body})(vscode, argument, changes);`,
      );
      answer({ id, result: (await call(vscode, changes, argument)) ?? null });
    } catch (error) {
      answer({ id, error: String(error?.stack ?? error) });
    }
  });
  const note = ({ document, contentChanges, reason }) => {
    if (document.uri.scheme !== 'file' || contentChanges.length === 0) return;
    const pieces = contentChanges.map(({ rangeOffset, rangeLength, text }) => ({
      at: rangeOffset,
      removed: rangeLength,
      text,
    }));
    changes.push({
      time: Date.now(),
      uri: document.uri.toString(),
      version: document.version,
      pieces,
      reason,
    });
  };
  context.subscriptions.push(vscode.workspace.onDidChangeTextDocument(note));
};
