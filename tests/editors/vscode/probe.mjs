// The tests' end of the probe's socket. The functions that it calls run in the real extension host.
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

const limitMs = 30_000;

export class Probe {
  #server;
  #socket;
  #nextId = 1;
  #waiting = new Map();

  /**
   * Listens. `connected` resolves when the editor's extension host has started the probe.
   */
  constructor(path) {
    this.connected = new Promise((resolve) => {
      this.#server = createServer((socket) => {
        this.#socket = socket;
        socket.on('error', () => {});
        createInterface({ input: socket }).on('line', (line) => this.#settle(JSON.parse(line)));
        resolve();
      }).listen(path);
    });
  }

  /**
   * Calls `body(vscode, argument, changes)` in the extension host; `changes` has the changes of the
   * documents.
   */
  async call(body, argument) {
    await this.connected;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const limit = setTimeout(
        () => this.#settle({ id, error: `no answer within ${limitMs / 1000} s to ${body}` }),
        limitMs,
      );
      const settled = (how) => (value) => how(value, clearTimeout(limit));
      this.#waiting.set(id, { resolve: settled(resolve), reject: settled(reject) });
      this.#socket.write(JSON.stringify({ id, body: body.toString(), argument }) + '\n');
    });
  }

  #settle({ id, result, error }) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    if (!this.#waiting.delete(id)) return;
    if (error) reject(new Error(error));
    else resolve(result);
  }

  close() {
    this.#socket?.destroy();
    this.#server.close();
  }
}
