// What it is: an MCP server with one tool, `say`, on standard input and output: for the permission
// that agents ask before they call such a tool.
// What it is not: part of the mock models.
import { createInterface } from 'node:readline';

const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tool = {
  name: 'say',
  description: 'Says it',
  inputSchema: schema,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': (params) => ({
    content: [{ type: 'text', text: `said ${params.arguments.text}` }],
  }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method]
    ? { result: answers[method](params) }
    : { error: { code: -32601, message: `unknown method ${method}` } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\n');
});
