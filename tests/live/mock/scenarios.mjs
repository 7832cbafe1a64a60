// What it is: what the mock models answer, the same for every API. The last `SCENARIO=name` of the
// person's prompts chooses.
// What it is not: it knows no API; openai.mjs and its siblings put a reply on the wire.
//
// A reply is {parts, pauseMs, cutAfter} or {refusal}:
//   parts     what the model says, in order: {kind: 'text' | 'thought', pieces: [string]} or
//             {kind: 'call', action: 'run' | 'background' | 'write' | 'say', …}
//   pauseMs   between two pieces
//   cutAfter  the connection is cut after so many pieces
//   stop      'length': the answer ends where its tokens do, and may be continued
//   refusal   {status, type, message, retryAfterSeconds?, endsAt?}: an HTTP error in place of an
//             answer; endsAt: when an exhausted limit ends, in seconds since 1970
// A conversation is {prompts: [string], results: number, said: number}: the person's messages, and
// how many results of tools and messages of the model came after the last one.

/// Returns `count` pieces of about the same length, cut between code points: a cut may be inside
/// "\r\n" or inside an emoji made of several code points.
export function piecesOf(text, count) {
  const points = Array.from(text);
  const pieces = [];
  for (let piece = 0; piece < count; piece++) {
    const begin = Math.round((piece * points.length) / count);
    const end = Math.round(((piece + 1) * points.length) / count);
    if (end > begin) pieces.push(points.slice(begin, end).join(''));
  }
  return pieces;
}

const text = (words, count = 4) => ({ kind: 'text', pieces: piecesOf(words, count) });
const thought = (words, count = 4) => ({ kind: 'thought', pieces: piecesOf(words, count) });
const answer = (...parts) => ({ parts, pauseMs: 2 });

const PLAIN = [
  '# A heading',
  '',
  'A paragraph with **bold**, `code` and a [link](https://example.invalid/).',
  '',
  '- emoji: 😀 👩‍👩‍👧 🇪🇺',
  '- CJK: 漢字かな 한국어',
  '- combining: e\u0301 a\u0308',
  '- right to left: שלום',
  '',
  '```js',
  'const path = "a\\tb";',
  '```',
  '',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
  '',
  'The last line.',
].join('\n');

const longPieces = () =>
  Array.from({ length: 1200 }, (_, word) =>
    word % 20 === 19 ? `word${word}.\n\n` : `word${word} `,
  );

const turnsOf = (prompts) =>
  prompts.map((prompt) => (prompt.match(/TURN=\w+/g) ?? ['?']).join('+')).join(', ');

export const WRITTEN_FILE = 'out.txt';
export const WRITTEN_TEXT = 'written by the mock\n';

/// 2100-01-01 00:00 UTC
const LIMIT_ENDS_AT = 4102444800;

const scenarios = {
  plain: () => answer(text(PLAIN, 40)),
  short: () => answer(text('Hello from the mock.')),
  thinking: () =>
    answer(
      thought('**Weighing the options**\n\nFirst the premise, then the answer. 思考中…', 10),
      text('The answer is 42. ✅'),
    ),
  tool: ({ results }) =>
    results === 0
      ? answer(text('I will run a command.'), { kind: 'call', action: 'run', command: 'echo hi' })
      : answer(text('The command printed `hi`.')),
  toolerr: ({ results }) =>
    results === 0
      ? answer(text('I will run a command.'), { kind: 'call', action: 'run', command: 'echo hi' })
      : {
          refusal: { status: 400, type: 'invalid_request_error', message: 'mock: invalid request' },
        },
  toolwrite: ({ results }) =>
    results === 0
      ? answer(text('I will write a file.'), {
          kind: 'call',
          action: 'write',
          file: WRITTEN_FILE,
          text: WRITTEN_TEXT,
        })
      : answer(text('The tool answered.')),
  toolmcp: ({ results }) =>
    results === 0
      ? answer(text('I will call a tool of an MCP server.'), {
          kind: 'call',
          action: 'say',
          text: 'hi',
        })
      : answer(text('The server answered.')),
  toolslow: ({ results }) =>
    results === 0
      ? answer(text('Sleeping.'), { kind: 'call', action: 'run', command: 'tail -f /dev/null' })
      : answer(text('Slept.')),
  // A command that ends when the person has said something.
  waits: ({ results }) =>
    results === 0
      ? answer(text('I will wait.'), {
          kind: 'call',
          action: 'run',
          command: 'cat said',
        })
      : answer(text('I have waited.')),
  long: () => ({ parts: [{ kind: 'text', pieces: longPieces() }], pauseMs: 0 }),
  slow: () => ({
    parts: [{ kind: 'text', pieces: Array.from({ length: 300 }, (_, tick) => `tick ${tick} `) }],
    pauseMs: 100,
  }),
  drop: () => ({
    parts: [text('This answer loses its connection in the middle.', 12)],
    pauseMs: 10,
    cutAfter: 6,
  }),
  // A command that goes on after the turn; the agent asks its model again when it has ended.
  later: ({ results, said }) => {
    if (results === 0)
      return answer(text('I will start a command.'), {
        kind: 'call',
        action: 'background',
        command: 'cat "$LIVE_RUN/end"',
      });
    return answer(text(said < 2 ? 'It runs.' : 'It has ended.'));
  },
  // Of an agent that lets its model go on.
  cut: ({ said }) =>
    said === 0
      ? { ...answer(text('The first half of a sen')), stop: 'length' }
      : answer(text('tence, and its end.')),
  err400: () => ({
    refusal: { status: 400, type: 'invalid_request_error', message: 'mock: invalid request' },
  }),
  err401: () => ({
    refusal: { status: 401, type: 'authentication_error', message: 'mock: invalid x-api-key' },
  }),
  err429: () => ({
    refusal: {
      status: 429,
      type: 'rate_limit_error',
      message: 'mock: rate limited',
      retryAfterSeconds: 1,
    },
  }),
  limit: () => ({
    refusal: {
      status: 429,
      type: 'usage_limit_reached',
      message: 'mock: limit used up',
      endsAt: LIMIT_ENDS_AT,
    },
  }),
  err529: () => ({
    refusal: { status: 529, type: 'overloaded_error', message: 'mock: overloaded' },
  }),
  full: () => ({
    refusal: {
      status: 400,
      type: 'invalid_request_error',
      message: 'prompt is too long: 210000 tokens > 200000 maximum',
    },
  }),
  err500: () => ({ refusal: { status: 500, type: 'api_error', message: 'mock: internal error' } }),
  // Tells how many prompts the model was sent: that is what resume and fork are proven by.
  hist: ({ prompts }) => answer(text(`history: ${prompts.length} prompt(s): ${turnsOf(prompts)}`)),
};

const nameIn = (prompt) => [...prompt.matchAll(/SCENARIO=(\w+)/g)].pop()?.[1];

/// Messages of a client that carry no marker (rules, environment, titles) are no prompts.
const isPrompt = (words) => nameIn(words) !== undefined;

/// `entries`: [{by: 'person' | 'tool' | 'model' | 'other', words}], oldest first.
export function conversationOf(entries) {
  const last = entries.findLastIndex((entry) => entry.by === 'person' && isPrompt(entry.words));
  const prompts = entries
    .filter((entry) => entry.by === 'person' && isPrompt(entry.words))
    .map((entry) => entry.words);
  return {
    prompts,
    results: entries.slice(last + 1).filter((entry) => entry.by === 'tool').length,
    said: entries.slice(last + 1).filter((entry) => entry.by === 'model').length,
  };
}

export function replyTo(conversation) {
  const name = nameIn(conversation.prompts.at(-1) ?? '');
  const scenario = scenarios[name];
  return {
    name: scenario ? name : 'none',
    ...(scenario ? scenario(conversation) : answer(text('The mock was given no SCENARIO.'))),
  };
}

/// What stands in the document at the end, when only the last round is kept.
export function finalTextOf(name) {
  const { parts } = scenarios[name]({ prompts: [], results: 1, said: 0 });
  return parts.flatMap((part) => (part.kind === 'text' ? part.pieces : [])).join('');
}

export const pieceCount = (reply) =>
  reply.parts.reduce((sum, part) => sum + (part.pieces?.length ?? 1), 0);
