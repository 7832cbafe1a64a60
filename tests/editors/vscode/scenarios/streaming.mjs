// A reply streams in while a person types; the text at the end is exactly what both wrote.
import { answered, prompt, words } from '../documents.mjs';
import { scenario } from '../harness.mjs';

const notes = 'Notes: ';
const question = `Hello?\n\n${notes}\n\nThe end.`;
const phrase = 'Typed while the agent writes. ';

/** Types until `finished()`; returns the typed text. */
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
  above: {
    go: (document) => document.putCursor(notes),
    splice: (text, typed) => text.replace(notes, () => notes + typed),
  },
  inside: {
    go: (document) => document.putCursor('w5 '),
    splice: (text, typed) => text.replace('w5 ', () => `w5 ${typed}`),
  },
  below: {
    go: (_, page) => page.keyboard.press('Control+End'),
    splice: (text, typed) => text + typed,
  },
};

async function typeInto({ workbench, note }, place, delay) {
  const { page } = workbench;
  const document = await workbench.open(
    `${place}-${delay}-${Date.now()}.md`,
    prompt('stream', question),
  );
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
  await places[place].go(document, page);
  const typed = await typeUntil(page, delay, () => workbench.finished(document));
  await document.becomes(places[place].splice(answered('stream', question, words(1200)), typed));
  const { landed, refused } = workbench.writing(document);
  note(`${typed.length} keys at ${delay} ms ${place}: ${landed} edits landed, ${refused} refused`);
}

for (const place of Object.keys(places)) {
  scenario(`streaming: a person types ${place} a reply of 1,200 pieces`, (context) =>
    typeInto(context, place, 60),
  );
}

const tourQuestion = 'unicode';
const tourPlaces = {
  above: {
    go: (document) => document.putCursor(tourQuestion),
    splice: (text, typed) => text.replace(tourQuestion, () => tourQuestion + typed),
  },
  inside: {
    go: (document) => document.putCursor('### Every '),
    splice: (text, typed) => text.replace('### Every ', () => `### Every ${typed}`),
  },
  below: places.below,
};
let tourReply;

/** Returns the tour's reply when nobody types. */
async function replyOfTour(workbench) {
  const document = await workbench.open('tour-silent.md', prompt('tour', tourQuestion));
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.untilFinished(document);
  return (await document.text()).split('## Assistant\n\n')[1].replace(/\n\n## User\n\n$/, '');
}

async function typeIntoTour({ workbench, note }, place, delay) {
  const { page } = workbench;
  tourReply ??= await replyOfTour(workbench);
  const document = await workbench.open(
    `tour-${place}-${delay}-${Date.now()}.md`,
    prompt('tour', tourQuestion),
  );
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('Every script'), 'the beginning of the reply');
  await tourPlaces[place].go(document, page);
  const typed = await typeUntil(page, delay, () => workbench.finished(document));
  const [, resume] = (await document.text()).match(/^resume: (.*)$/m);
  await document.becomes(
    tourPlaces[place].splice(answered('tour', tourQuestion, tourReply, { resume }), typed),
  );
  const { landed, refused } = workbench.writing(document);
  note(`${typed.length} keys at ${delay} ms ${place}: ${landed} edits landed, ${refused} refused`);
}

scenario("streaming: a person types into the tour's reply", (context) =>
  typeIntoTour(context, 'inside', 25),
);

for (const delay of [25, 60, 150]) {
  for (const place of Object.keys(tourPlaces)) {
    for (let round = 1; round <= 5; ++round) {
      scenario(
        `streaming: the tour's reply, ${place} at ${delay} ms a key, round ${round}`,
        (context) => typeIntoTour(context, place, delay),
        { matrix: true },
      );
    }
  }
}

for (const delay of [25, 60, 150]) {
  for (const place of Object.keys(places)) {
    for (let round = 1; round <= 5; ++round) {
      scenario(
        `streaming: ${place} at ${delay} ms a key, round ${round}`,
        (context) => typeInto(context, place, delay),
        { matrix: true },
      );
    }
  }
}
