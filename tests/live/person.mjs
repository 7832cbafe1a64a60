// What a person changes above a question, in a document or in a file:
//   node person.mjs FILE DELETED WORDS
// Takes out the turn whose question begins with DELETED. In place of the first line of the first
// answer that is left, writes WORDS and a note with them, followed by a private comment.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export function changed(text, deleted, words) {
  const begin = text.indexOf(`## User\n\n${deleted}`);
  const end = text.indexOf('## User', begin + 1);
  if (begin < 0 || end < 0) throw new Error(`no turn "${deleted}" in: ${text}`);
  const left = text.slice(0, begin) + text.slice(end);
  const corrected = `The person wrote ${words}.\n\nA note below ${words}. <!-- private words -->`;
  return left.replace(/(## Assistant\n\n)[^\n]*/, `$1${corrected}`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [file, deleted, words] = process.argv.slice(2);
  writeFileSync(file, changed(readFileSync(file, 'utf8'), deleted, words));
}
