// What it is: Gemini's generateContent, streamed and not, as far as coding agents use it.
// What it is not: it decides nothing of what is said (scenarios.mjs).
import { conversationOf, pieceCount, replyTo } from './scenarios.mjs';
import { EventStream, newId, sendJson } from './wire.mjs';

const PROMPT_TOKENS = 23;
const STATUS_NAMES = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
};

/// Results of tools come as parts of the person's content.
const entriesOf = (contents) =>
  (contents ?? []).flatMap(({ role, parts = [] }) => {
    if (role === 'model') return [{ by: 'model', words: '' }];
    const results = parts
      .filter((part) => part.functionResponse)
      .map(() => ({ by: 'tool', words: '' }));
    const words = parts.map((part) => part.text ?? '').join('\n');
    return words.trim() === '' ? results : [...results, { by: 'person', words }];
  });

function folderIn(body) {
  const told = JSON.stringify([body.systemInstruction, body.contents]).match(
    /(?:working in the director(?:y|ies)|Workspace Directories):[^/]*(\/[^\s"\\]+)/i,
  );
  if (!told) throw new Error('the agent does not say in which folder it works');
  return told[1];
}

function callOf(part, body) {
  const names = (body.tools ?? [])
    .flatMap((tool) => tool.functionDeclarations ?? [])
    .map((tool) => tool.name);
  const wanted = part.action === 'run' ? 'run_shell_command' : 'write_file';
  if (!names.includes(wanted)) throw new Error(`no tool ${wanted} among: ${names.join(', ')}`);
  const args =
    part.action === 'run'
      ? { command: part.command, description: 'A command of the mock' }
      : { file_path: `${folderIn(body)}/${part.file}`, content: part.text };
  return { functionCall: { name: wanted, args } };
}

/// Calls are not streamed in pieces.
const pieceParts = (reply, body) =>
  reply.parts.flatMap((part) => {
    if (part.kind === 'call') return [callOf(part, body)];
    return part.pieces.map((text) =>
      part.kind === 'thought' ? { text, thought: true } : { text },
    );
  });

async function generate(response, body, model, streamed) {
  const wantsJson = body.generationConfig?.responseMimeType === 'application/json'; // the agent's own questions, of routing and the like
  const reply = wantsJson
    ? { name: 'json', parts: [{ kind: 'text', pieces: ['{}'] }] }
    : replyTo(conversationOf(entriesOf(body.contents)));
  if (reply.refusal) {
    const { status, message } = reply.refusal;
    sendJson(response, status, {
      error: { code: status, message, status: STATUS_NAMES[status] ?? 'UNAVAILABLE' },
    });
    return { scenario: reply.name };
  }
  const count = pieceCount(reply);
  const usageMetadata = {
    promptTokenCount: PROMPT_TOKENS,
    candidatesTokenCount: count,
    totalTokenCount: PROMPT_TOKENS + count,
  };
  const shell = { usageMetadata, modelVersion: model, responseId: newId('') };
  const frame = (parts, end = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...end }],
    ...shell,
  });
  const parts = pieceParts(reply, body);
  const finishReason = reply.stop === 'length' ? 'MAX_TOKENS' : 'STOP';
  if (!streamed) {
    sendJson(response, 200, frame(parts, { finishReason }));
    return { scenario: reply.name };
  }
  const events = new EventStream(response, reply);
  for (const part of parts) await events.piece(null, frame([part]));
  events.send(null, frame([{ text: '' }], { finishReason }));
  events.end();
  return { scenario: reply.name };
}

function countTokens(response, body) {
  sendJson(response, 200, { totalTokens: Math.ceil(JSON.stringify(body).length / 4) });
  return {};
}

const at = (action) => new RegExp(`^/v1(?:beta|alpha)?/models/([^:/]+):${action}$`);

export const routes = [
  {
    method: 'POST',
    path: at('streamGenerateContent'),
    answer: (response, body, match) => generate(response, body, match[1], true),
  },
  {
    method: 'POST',
    path: at('generateContent'),
    answer: (response, body, match) => generate(response, body, match[1], false),
  },
  { method: 'POST', path: at('countTokens'), answer: countTokens },
];
