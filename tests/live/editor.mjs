// An editor with one document, for `agent-doc serve`. It does not check the protocol: it takes
// every edit as it comes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

const OVER = ['done', 'failed', 'cancelled', 'interrupted'];

/// The offset of an LSP position in UTF-16 code units.
function offsetOf(text, { line, character }) {
  let begin = 0;
  for (let passed = 0; passed < line; passed++) begin = text.indexOf('\n', begin) + 1;
  return begin + character;
}

export class Editor {
  #received = Buffer.alloc(0);
  #version = 1;
  #uri;
  #folder;
  #answered = new Map();
  #lastId = 0;
  #turnIsOver = () => {};
  #messageCame = () => {};
  #ends = new Map();
  #landed = false;
  /// Called with every edit's text and every agentDoc/turn.
  onNews = () => {};

  constructor(agentDoc, document) {
    this.#uri = pathToFileURL(document).href;
    this.#folder = { uri: pathToFileURL(dirname(document)).href, name: 'project' };
    this.text = readFileSync(document, 'utf8');
    this.server = spawn(agentDoc, ['serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.server.stdout.on('data', (bytes) => this.#read(bytes));
    this.server.stdin.on('error', () => {});
  }

  async begin() {
    await this.#request('initialize', {
      processId: null,
      rootUri: this.#folder.uri,
      workspaceFolders: [this.#folder],
      capabilities: {
        workspace: { applyEdit: true, workspaceEdit: { documentChanges: true } },
        experimental: { agentDoc: { turn: true, strictEdits: true } },
      },
    });
    this.#send({ method: 'initialized', params: {} });
    const { text } = this;
    const textDocument = { uri: this.#uri, languageId: 'markdown', version: this.#version, text };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
  }

  /// Runs the open turn. Returns how it ended.
  async run() {
    const over = new Promise((resolve) => {
      this.#turnIsOver = resolve;
    });
    const answer = await this.#request('workspace/executeCommand', {
      command: 'agentDoc.run',
      arguments: [{ uri: this.#uri }],
    });
    return answer.error ? answer.error.message : over;
  }

  /// Says the open prompt in the middle of the turn. Returns "steered", "queued" or the error.
  async steer() {
    const answer = await this.#request('workspace/executeCommand', {
      command: 'agentDoc.steer',
      arguments: [{ uri: this.#uri }],
    });
    if (answer.error) return answer.error.message;
    return answer.result.steered ? 'steered' : 'queued';
  }

  /// Returns how the turns ended, once there are so many of them and the reply of the last one is
  /// in the text.
  async allOver(count) {
    const isOver = () => this.#ends.size >= count && this.#landed;
    if (!isOver()) {
      await new Promise((resolve) => {
        this.#turnIsOver = () => isOver() && resolve();
      });
    }
    return [...this.#ends.values()].join(' ');
  }

  /// Returns what the person is told next.
  nextMessage() {
    return new Promise((resolve) => {
      this.#messageCame = resolve;
    });
  }

  /// The person makes the document `text`.
  change(text) {
    this.text = text;
    this.#tellChange({ text });
  }

  /// Ends the server in order. Returns its exit code.
  async end() {
    const exited = new Promise((resolve) => this.server.on('exit', resolve));
    await this.#request('shutdown', undefined);
    this.#send({ method: 'exit' });
    return exited;
  }

  #tellChange(change) {
    const textDocument = { uri: this.#uri, version: ++this.#version };
    this.#send({
      method: 'textDocument/didChange',
      params: { textDocument, contentChanges: [change] },
    });
  }

  #applyEdit({ id, params }) {
    const { range, newText } = params.edit.documentChanges[0].edits[0];
    const begin = offsetOf(this.text, range.start);
    const end = offsetOf(this.text, range.end);
    this.text = this.text.slice(0, begin) + newText + this.text.slice(end);
    this.#tellChange({ range, text: newText });
    this.#send({ id, result: { applied: true } });
    this.onNews(newText);
  }

  #turnChanged(turn) {
    this.onNews(JSON.stringify(turn));
    if (OVER.includes(turn.state)) this.#ends.set(turn.turn, turn.state);
    this.#landed = OVER.includes(turn.state) && turn.replyLanded;
    // The last words of a reply come before the turn counts as landed.
    if (OVER.includes(turn.state) && (turn.replyLanded || turn.state !== 'done'))
      this.#turnIsOver(turn.state);
  }

  #onMessage(message) {
    if (message.method === 'workspace/applyEdit') return this.#applyEdit(message);
    if (message.method === 'agentDoc/turn') return this.#turnChanged(message.params);
    if (message.method === 'window/showMessage') return this.#messageCame(message.params.message);
    if (message.method === 'window/workDoneProgress/create')
      return this.#send({ id: message.id, result: null });
    if (message.method === undefined) this.#answered.get(message.id)?.(message);
  }

  #request(method, params) {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#answered.set(id, resolve));
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.server.stdin.write(body);
  }

  #read(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(
        this.#received.toString('latin1'),
      );
      const end = head ? head[0].length + Number(head[1]) : Infinity;
      if (this.#received.length < end) return;
      const body = this.#received.subarray(head[0].length, end);
      this.#received = this.#received.subarray(end);
      this.#onMessage(JSON.parse(body.toString('utf8')));
    }
  }
}
