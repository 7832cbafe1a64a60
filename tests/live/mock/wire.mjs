// What it is: what the mock's APIs share: ids, JSON answers, and a stream of server-sent events
// that keeps a reply's pace and cuts the connection where the reply says so.
// What it is not: it knows no API.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

export const newId = (prefix) => prefix + randomBytes(12).toString('hex');

export function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export class EventStream {
  #response;
  #reply;
  #sent = 0;
  #over = false;

  constructor(response, reply) {
    this.#response = response;
    this.#reply = reply;
    response.on('close', () => {
      this.#over = true;
    });
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    });
  }

  /// `name` is the event's name, or null where the API gives it none.
  send(name, data) {
    if (this.#over) return;
    const head = name === null ? '' : `event: ${name}\n`;
    this.#response.write(
      `${head}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    );
  }

  /// One piece of the reply.
  async piece(name, data) {
    this.send(name, data);
    if (++this.#sent === this.#reply.cutAfter) {
      this.#over = true;
      this.#response.socket.destroySoon(); // what was sent arrives
    } else if (!this.#over && this.#reply.pauseMs > 0) {
      await pause(this.#reply.pauseMs);
    }
  }

  end() {
    if (!this.#over) this.#response.end();
  }
}
