// The documents of the tests and their expected replies, written independently of the program.
export const sessionId = '00000000-0000-4000-8000-000000000001';

/** Returns a document with an open prompt. */
export function prompt(agent, text = 'Hello?', { resume = '' } = {}) {
  const session = 'agent_doc_session: 2e0b9a6c-3c2b-4f0e-8a53-cd4f6b1e7f10\n';
  const keys = `${session}agent: ${agent}\n${resume && `resume: ${resume}\n`}`;
  return `---\n${keys}---\n\n## User\n\n${text}\n`;
}

/** Returns the same document after a run with this `reply`; the next prompt is open. */
export function answered(agent, text, reply, options = {}) {
  return `${prompt(agent, text, { resume: options.resume ?? sessionId })}\n## Assistant\n\n${reply}\n\n## User\n\n`;
}

/** Returns the text of `replay_agent --deltas COUNT` in turn `turn`: words in lines of twelve. */
export function words(count, turn = 1) {
  let text = '';
  for (let index = 0; index < count; ++index)
    text += `${turn > 1 ? `t${turn}` : ''}w${index}${index % 12 === 11 ? '\n' : ' '}`;
  return text.replace(/\n+$/, '');
}

/** Returns `text` without its first `typed`; throws if `typed` is not there in one piece. */
export function without(text, typed) {
  const at = text.indexOf(typed);
  if (at < 0) throw new Error(`${JSON.stringify(typed)} is not in the text in one piece`);
  return text.slice(0, at) + text.slice(at + typed.length);
}
