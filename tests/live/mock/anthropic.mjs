// What it is: Anthropic's Messages API, streamed and not, as far as coding agents use it.
// What it is not: it decides nothing of what is said (scenarios.mjs).
import { conversationOf, pieceCount, piecesOf, replyTo } from './scenarios.mjs';
import { EventStream, newId, sendJson } from './wire.mjs';

const USAGE = { input_tokens: 11, cache_creation_input_tokens: 7, cache_read_input_tokens: 5 };
const SIGNATURE = 'bW9jaw==';

const blocksOf = (content) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
const wordsOf = (blocks) =>
  blocks
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('\n');

/// A message of the person holds the results of tools, its own words, or both.
const entriesOf = (messages) =>
  (messages ?? []).flatMap((message) => {
    const blocks = blocksOf(message.content);
    if (message.role !== 'user')
      return [{ by: message.role === 'assistant' ? 'model' : 'other', words: '' }];
    const results = blocks
      .filter((block) => block.type === 'tool_result')
      .map(() => ({ by: 'tool', words: '' }));
    const words = wordsOf(blocks);
    return words === '' ? results : [...results, { by: 'person', words }];
  });

/// The tools want absolute paths; the agent tells the model where it works.
function folderIn(body) {
  const told = JSON.stringify([body.system, body.messages]).match(
    /working directory: (\/[^\s"\\]+)/i,
  );
  if (!told) throw new Error('the agent does not say in which folder it works');
  return told[1];
}

function callOf(part, body) {
  const names = (body.tools ?? []).map((tool) => tool.name);
  const find = (...wanted) => {
    const name = wanted.find((one) => names.includes(one));
    if (!name) throw new Error(`none of the tools ${wanted.join(', ')} among: ${names.join(', ')}`);
    return name;
  };
  if (part.action === 'run' || part.action === 'background') {
    const input = { command: part.command, description: 'A command of the mock' };
    if (part.action === 'background') input.run_in_background = true;
    return { name: find('Bash', 'mcp__acp__Bash'), input };
  }
  return {
    name: find('Write', 'mcp__acp__Write'),
    input: { file_path: `${folderIn(body)}/${part.file}`, content: part.text },
  };
}

/// The blocks of the message, each with the pieces of its stream.
const contentOf = (reply, body) =>
  reply.parts.map((part) => {
    if (part.kind === 'text') {
      return {
        block: { type: 'text', text: part.pieces.join('') },
        start: { text: '' },
        deltas: part.pieces.map((text) => ({ type: 'text_delta', text })),
      };
    }
    if (part.kind === 'thought') {
      const deltas = part.pieces.map((thinking) => ({ type: 'thinking_delta', thinking }));
      return {
        block: { type: 'thinking', thinking: part.pieces.join(''), signature: SIGNATURE },
        start: { thinking: '', signature: '' },
        deltas: [...deltas, { type: 'signature_delta', signature: SIGNATURE }],
      };
    }
    const block = { type: 'tool_use', id: newId('toolu_'), ...callOf(part, body) };
    const pieces = ['', ...piecesOf(JSON.stringify(block.input), 4)];
    return {
      block,
      start: { input: {} },
      deltas: pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    };
  });

async function stream(response, reply, message, contents, stop, usage) {
  const events = new EventStream(response, reply);
  const send = (type, data) => events.send(type, { type, ...data });
  send('message_start', {
    message: { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } },
  });
  for (const [index, { block, start, deltas }] of contents.entries()) {
    send('content_block_start', { index, content_block: { ...block, ...start } });
    for (const delta of deltas)
      await events.piece('content_block_delta', { type: 'content_block_delta', index, delta });
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage });
  send('message_stop', {});
  events.end();
}

async function answerMessages(response, body) {
  const reply = replyTo(conversationOf(entriesOf(body.messages)));
  if (reply.refusal) {
    const { status, type, message, retryAfterSeconds } = reply.refusal;
    const headers =
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    sendJson(response, status, { type: 'error', error: { type, message } }, headers);
    return { scenario: reply.name };
  }
  const contents = contentOf(reply, body);
  const calls = reply.parts.some((part) => part.kind === 'call');
  const stop = reply.stop === 'length' ? 'max_tokens' : calls ? 'tool_use' : 'end_turn';
  const usage = { ...USAGE, output_tokens: pieceCount(reply) };
  const message = {
    id: newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_sequence: null,
  };
  if (body.stream) {
    await stream(response, reply, message, contents, stop, usage);
  } else {
    sendJson(response, 200, {
      ...message,
      content: contents.map(({ block }) => block),
      stop_reason: stop,
      usage,
    });
  }
  return { scenario: reply.name };
}

function answerCount(response, body) {
  sendJson(response, 200, { input_tokens: Math.ceil(JSON.stringify(body).length / 4) });
  return {};
}

function answerHead(response) {
  response.writeHead(200).end();
  return {};
}

export const routes = [
  { method: 'POST', path: /^\/v1\/messages$/, answer: answerMessages },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, answer: answerCount },
  { method: 'HEAD', path: /^\//, answer: answerHead },
];
