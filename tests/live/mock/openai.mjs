// What it is: OpenAI's Responses API and chat completions, streamed, as far as coding agents use
// them.
// What it is not: it decides nothing of what is said (scenarios.mjs).
import { conversationOf, pieceCount, piecesOf, replyTo } from './scenarios.mjs';
import { EventStream, newId, sendJson } from './wire.mjs';

const INPUT_TOKENS = 23;
const CACHED_TOKENS = 5;

const wordsOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');

/// The account's limits, as codex reads them.
const limitHeaders = (endsAt) => ({
  'x-codex-primary-used-percent': '100',
  'x-codex-primary-window-minutes': '300',
  'x-codex-primary-reset-at': String(endsAt),
});

function refuse(response, { status, type, message, retryAfterSeconds, endsAt }) {
  const headers =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (endsAt !== undefined) Object.assign(headers, limitHeaders(endsAt));
  sendJson(
    response,
    status,
    { error: { message, type, param: null, code: type, resets_at: endsAt } },
    headers,
  );
}

/// The call of a tool that the agent has, for what the reply wants done.
function callOf(part, tools) {
  const has = (name) => tools.find((tool) => tool.name === name);
  const takes = (name, field) => has(name)?.fields?.includes(field) ?? false;
  if (part.action === 'say' && has('say')) return { ...has('say'), input: { text: part.text } };
  const command =
    part.action === 'run' ? part.command : `printf '%s' '${part.text}' > ${part.file}`;
  if (has('exec_command')) {
    // codex; it is asked about a write only when the model says that the sandbox is in the way
    const escalated =
      part.action === 'write'
        ? { sandbox_permissions: 'require_escalated', justification: 'May I write the file?' }
        : {};
    return { ...has('exec_command'), input: { cmd: command, ...escalated } };
  }
  if (part.action === 'write' && takes('write', 'path'))
    return { ...has('write'), input: { path: part.file, content: part.text } }; // goose
  if (part.action === 'write' && has('write'))
    return { ...has('write'), input: { filePath: part.file, content: part.text } };
  if (part.action === 'write' && takes('write_file', 'path'))
    return { ...has('write_file'), input: { path: part.file, content: part.text } }; // vibe
  if (has('bash'))
    return {
      ...has('bash'),
      input: takes('bash', 'description')
        ? { command, description: 'A command of the mock' }
        : { command },
    };
  if (has('shell')) return { ...has('shell'), input: { command } }; // goose
  if (has('run_shell_command'))
    return {
      ...has('run_shell_command'),
      input: { command, description: 'A command of the mock', is_background: false },
    }; // qwen
  if (has('run_commands') && part.action === 'write') {
    // cline
    const lines = part.text
      .trimEnd()
      .split('\n')
      .map((line) => `+${line}`);
    return {
      ...has('apply_patch'),
      input: {
        input: ['*** Begin Patch', `*** Add File: ${part.file}`, ...lines, '*** End Patch'].join(
          '\n',
        ),
      },
    };
  }
  if (has('run_commands')) return { ...has('run_commands'), input: { commands: [command] } };
  throw new Error(
    `no tool for "${part.action}" among: ${tools.map((tool) => tool.name).join(', ')}`,
  );
}

// --- Responses API ---

function responsesConversation(input) {
  if (typeof input === 'string') return conversationOf([{ by: 'person', words: input }]);
  return conversationOf(
    (input ?? []).map((item) => {
      if ((item.type ?? '').endsWith('_output')) return { by: 'tool', words: '' };
      const by = { user: 'person', assistant: 'model' }[item.role] ?? 'other';
      return { by, words: wordsOf(item.content) };
    }),
  );
}

/// Tools are functions, or namespaces of functions.
const responsesTools = (tools) =>
  (tools ?? []).flatMap((tool) =>
    tool.tools
      ? tool.tools.map((inner) => ({ name: inner.name, namespace: tool.name }))
      : [{ name: tool.name ?? tool.type }],
  );

class ResponsesWriter {
  #stream;
  #number = 0;
  output = [];

  constructor(stream) {
    this.#stream = stream;
  }

  event(type, data) {
    this.#stream.send(type, { type, sequence_number: this.#number++, ...data });
  }
  piece(type, data) {
    return this.#stream.piece(type, { type, sequence_number: this.#number++, ...data });
  }
  done(item) {
    this.event('response.output_item.done', { output_index: this.output.length, item });
    this.output.push(item);
  }

  async text(part) {
    const item = {
      id: newId('msg_'),
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    const place = { item_id: item.id, output_index: this.output.length, content_index: 0 };
    this.event('response.output_item.added', { output_index: this.output.length, item });
    this.event('response.content_part.added', {
      ...place,
      part: { type: 'output_text', text: '', annotations: [] },
    });
    for (const delta of part.pieces)
      await this.piece('response.output_text.delta', { ...place, delta });
    const content = { type: 'output_text', text: part.pieces.join(''), annotations: [] };
    this.event('response.output_text.done', { ...place, text: content.text });
    this.event('response.content_part.done', { ...place, part: content });
    this.done({ ...item, status: 'completed', content: [content] });
  }

  async thought(part) {
    const item = { id: newId('rs_'), type: 'reasoning', summary: [] };
    const place = { item_id: item.id, output_index: this.output.length, summary_index: 0 };
    this.event('response.output_item.added', { output_index: this.output.length, item });
    this.event('response.reasoning_summary_part.added', {
      ...place,
      part: { type: 'summary_text', text: '' },
    });
    for (const delta of part.pieces)
      await this.piece('response.reasoning_summary_text.delta', { ...place, delta });
    const summary = { type: 'summary_text', text: part.pieces.join('') };
    this.event('response.reasoning_summary_text.done', { ...place, text: summary.text });
    this.event('response.reasoning_summary_part.done', { ...place, part: summary });
    this.done({ ...item, summary: [summary], encrypted_content: 'bW9jaw==' });
  }

  async call(part, tools) {
    const { name, namespace, input } = callOf(part, tools);
    const words = JSON.stringify(input);
    const item = {
      id: newId('fc_'),
      type: 'function_call',
      status: 'in_progress',
      call_id: newId('call_'),
      name,
      arguments: '',
    };
    if (namespace) item.namespace = namespace;
    const place = { item_id: item.id, output_index: this.output.length };
    this.event('response.output_item.added', { output_index: this.output.length, item });
    for (const delta of piecesOf(words, 3))
      await this.piece('response.function_call_arguments.delta', { ...place, delta });
    this.event('response.function_call_arguments.done', { ...place, arguments: words });
    this.done({ ...item, status: 'completed', arguments: words });
  }
}

async function answerResponses(response, body) {
  const reply = replyTo(responsesConversation(body.input));
  if (reply.refusal) {
    refuse(response, reply.refusal);
    return { scenario: reply.name };
  }
  const stream = new EventStream(response, reply);
  const writer = new ResponsesWriter(stream);
  const tools = responsesTools(body.tools);
  const shell = {
    id: newId('resp_'),
    object: 'response',
    created_at: 1700000000,
    model: body.model,
  };
  writer.event('response.created', {
    response: { ...shell, status: 'in_progress', output: [], usage: null },
  });
  for (const part of reply.parts) await writer[part.kind](part, tools);
  const output = pieceCount(reply);
  const usage = {
    input_tokens: INPUT_TOKENS,
    input_tokens_details: { cached_tokens: CACHED_TOKENS },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: INPUT_TOKENS + output,
  };
  const end =
    reply.stop === 'length'
      ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
      : { status: 'completed' };
  writer.event(`response.${end.status}`, {
    response: { ...shell, ...end, output: writer.output, usage },
  });
  stream.end();
  return { scenario: reply.name };
}

// --- chat completions ---

const chatConversation = (messages) =>
  conversationOf(
    (messages ?? []).map((message) => {
      const by = { user: 'person', tool: 'tool', assistant: 'model' }[message.role] ?? 'other';
      return { by, words: wordsOf(message.content) };
    }),
  );

async function sendChatPart(stream, frame, part, tools, index) {
  if (part.kind === 'text') {
    for (const content of part.pieces) await stream.piece(null, frame({ content }));
  } else if (part.kind === 'thought') {
    for (const reasoning_content of part.pieces)
      await stream.piece(null, frame({ reasoning_content }));
  } else {
    const { name, input } = callOf(part, tools);
    stream.send(
      null,
      frame({
        tool_calls: [
          { index, id: newId('call_'), type: 'function', function: { name, arguments: '' } },
        ],
      }),
    );
    for (const words of piecesOf(JSON.stringify(input), 3))
      await stream.piece(null, frame({ tool_calls: [{ index, function: { arguments: words } }] }));
  }
}

async function answerChat(response, body) {
  const reply = replyTo(chatConversation(body.messages));
  if (reply.refusal) {
    refuse(response, reply.refusal);
    return { scenario: reply.name };
  }
  const shell = { id: newId('chatcmpl-'), created: 1700000000, model: body.model };
  const output = pieceCount(reply);
  const usage = {
    prompt_tokens: INPUT_TOKENS,
    completion_tokens: output,
    total_tokens: INPUT_TOKENS + output,
    prompt_tokens_details: { cached_tokens: CACHED_TOKENS },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
  const calls = reply.parts.some((part) => part.kind === 'call');
  const finish = reply.stop ?? (calls ? 'tool_calls' : 'stop');
  if (!body.stream) {
    const content = reply.parts
      .flatMap((part) => (part.kind === 'text' ? part.pieces : []))
      .join('');
    sendJson(response, 200, {
      ...shell,
      object: 'chat.completion',
      usage,
      choices: [{ index: 0, finish_reason: finish, message: { role: 'assistant', content } }],
    });
    return { scenario: reply.name };
  }
  const stream = new EventStream(response, reply);
  const tools = (body.tools ?? []).map((tool) => ({
    name: tool.function.name,
    fields: Object.keys(tool.function.parameters?.properties ?? {}),
  }));
  const frame = (delta, finish_reason = null) => ({
    ...shell,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  stream.send(null, frame({ role: 'assistant', content: '' }));
  for (const [index, part] of reply.parts.entries())
    await sendChatPart(stream, frame, part, tools, index);
  stream.send(null, frame({}, finish));
  stream.send(null, { ...frame({}), choices: [], usage });
  stream.send(null, '[DONE]');
  stream.end();
  return { scenario: reply.name };
}

const models = {
  object: 'list',
  data: [{ id: 'mock-model', object: 'model', created: 1700000000, owned_by: 'mock' }],
};

export const routes = [
  { method: 'POST', path: /^\/v1\/responses$/, answer: answerResponses },
  { method: 'POST', path: /^\/v1\/chat\/completions$/, answer: answerChat },
  { method: 'GET', path: /^\/v1\/models$/, answer: (response) => sendJson(response, 200, models) },
];
