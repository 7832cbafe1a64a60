// What it is: a reply streams in while a person types; the text at the end is exactly what both wrote.
import { answered, prompt, words } from '../documents.mjs';
import { scenario } from '../harness.mjs';

const notes = 'Notes: ';
const question = `Hello?\n\n${notes}\n\nThe end.`;
const phrase = 'Typed while the agent writes. ';

/** Types until `finished()`; returns what was typed. */
async function typeUntil(page, delay, finished) {
  let typed = '';
  while (!(await finished())) {
    const word = phrase.split(/(?<= )/)[typed.split(' ').length % 5] ?? 'so ';
    await page.keyboard.type(word, { delay });
    typed += word;
  }
  return typed;
}

const places = {
  above: { go: (document) => document.putCursor(notes), splice: (text, typed) => text.replace(notes, () => notes + typed) },
  inside: { go: (document) => document.putCursor('w5 '), splice: (text, typed) => text.replace('w5 ', () => `w5 ${typed}`) },
  below: { go: (_, page) => page.keyboard.press('Control+End'), splice: (text, typed) => text + typed },
};

async function typeInto({ workbench, note }, place, delay) {
  const { page } = workbench;
  const document = await workbench.open(`${place}-${delay}-${Date.now()}.md`, prompt('stream', question));
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
  await places[place].go(document, page);
  const typed = await typeUntil(page, delay, () => workbench.finished(document));
  await document.becomes(places[place].splice(answered('stream', question, words(1200)), typed));
  const { landed, refused } = workbench.writing(document);
  note(`${typed.length} keys at ${delay} ms ${place}: ${landed} edits landed, ${refused} refused`);
}

for (const place of Object.keys(places)) {
  scenario(`streaming: a person types ${place} a reply of 1,200 pieces`, (context) => typeInto(context, place, 60));
}

scenario("streaming: a person types into the tour's reply", async ({ workbench, note }) => {
  const { page } = workbench;
  const silent = await workbench.open('tour-silent.md', prompt('tour', 'unicode'));
  await page.keyboard.press('Control+Enter');
  await workbench.untilFinished(silent);
  const reply = (await silent.text()).split('## Assistant\n\n')[1];
  const document = await workbench.open('tour-typed.md', prompt('tour', 'unicode'));
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('Every script'), 'the beginning of the reply');
  await document.putCursor('### Every ');
  const typed = await typeUntil(page, 25, () => workbench.finished(document));
  const [head] = (await document.text()).split('## Assistant\n\n');
  await document.becomes(`${head}## Assistant\n\n${reply.replace('### Every ', () => `### Every ${typed}`)}`);
  const { landed, refused } = workbench.writing(document);
  note(`${typed.length} keys at 25 ms: ${landed} edits landed, ${refused} refused`);
});

for (const delay of [25, 60, 150]) {
  for (const place of Object.keys(places)) {
    for (let round = 1; round <= 5; ++round) {
      scenario(`streaming: ${place} at ${delay} ms a key, round ${round}`, (context) => typeInto(context, place, delay), { matrix: true });
    }
  }
}
