// Mock model servers for tests with the real agents: all APIs on one port of the loopback
// interface. It checks no key and knows nothing of agent-doc.
//   node server.mjs [--port N] [--log FILE]
// Prints "listening on http://127.0.0.1:PORT". Ends when its standard input ends.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import * as anthropic from './anthropic.mjs';
import * as gemini from './gemini.mjs';
import * as openai from './openai.mjs';
import { sendJson } from './wire.mjs';

const { values: options } = parseArgs({
  options: { port: { type: 'string', default: '0' }, log: { type: 'string' } },
});

/// The routes of all APIs: {method, path: RegExp, answer(response, body, match)}. The log gets what
/// `answer` returns.
const routes = [...anthropic.routes, ...gemini.routes, ...openai.routes];

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks).toString('utf8');
  return raw === '' ? {} : JSON.parse(raw);
}

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://mock');
  const body = await bodyOf(request);
  for (const route of routes) {
    const match = request.method === route.method ? pathname.match(route.path) : null;
    if (match) return { path: pathname, body, ...(await route.answer(response, body, match)) };
  }
  sendJson(response, 404, {
    error: { type: 'not_found_error', message: `mock: no route for ${request.method} ${pathname}` },
  });
  return { path: pathname, body, unknown: true };
}

const server = createServer(async (request, response) => {
  let entry;
  try {
    entry = await answer(request, response);
  } catch (error) {
    entry = { path: request.url, error: String(error.stack) };
    if (!response.headersSent)
      sendJson(response, 500, { error: { type: 'api_error', message: String(error) } });
    else response.destroy();
  }
  if (options.log) appendFileSync(options.log, JSON.stringify(entry) + '\n');
});

server.listen(Number(options.port), '127.0.0.1', () =>
  console.log(`listening on http://127.0.0.1:${server.address().port}`),
);
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
