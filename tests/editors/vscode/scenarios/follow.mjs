// The growing end of a reply stays in view while the cursor is at the end, until the person scrolls
// or moves. Otherwise the line that they look at keeps its place on the screen. Lines are wrapped:
// the window is narrow, and every line of the replies takes more than one row.
import assert from 'node:assert/strict';

import { answered, prompt, words } from '../documents.mjs';
import { watchEnd, watchLine } from '../frames.mjs';
import { sameText, scenario } from '../harness.mjs';

const wordsIn = (text) => text.match(/\bw\d+/g)?.length ?? 0;

/** Makes the window narrow for a while. */
async function narrow(workbench, body) {
  const { page } = workbench;
  const size = page.viewportSize();
  await workbench.command('workbench.action.closeSidebar');
  await page.setViewportSize({ width: 560, height: 700 });
  try {
    await body();
  } finally {
    await workbench.command('agentDoc.stop'); // even after a failure: other documents follow
    await page.setViewportSize(size);
  }
}

async function wheel(workbench, pixels) {
  const { page } = workbench;
  await page.mouse.move(250, 400);
  await page.mouse.wheel(0, pixels);
}

function inAll({ runs }, what) {
  return runs.filter(([, seen]) => seen === what).reduce((sum, [frames]) => sum + frames, 0);
}

/**
 * If text arrives between a frame and the query, the query sees it before the window is scrolled,
 * although it is not painted so. A single such query does not count.
 */
function staysInView({ frames, runs }) {
  assert.ok(
    runs.every(([count, seen]) => seen !== 'no end' || count === 1),
    'the end was out of view for more than a frame',
  );
  assert.ok(inAll({ runs }, 'no end') <= frames / 20, 'the end was out of view again and again');
}

scenario(
  'follow: after a run the end of the reply is in view in every frame',
  ({ workbench, note }) =>
    narrow(workbench, async () => {
      const { page } = workbench;
      const document = await workbench.open('follow-run.md', prompt('stream').trimEnd());
      const frames = await watchEnd(page);
      await page.keyboard.press('Control+Enter');
      await workbench.untilFinished(document);
      const seen = await frames.end();
      sameText(await document.text(), answered('stream', 'Hello?', words(1200)));
      note(
        `${seen.frames} frames, the end of the reply in view in ${inAll(seen, 'the end')}, out of view in ${inAll(seen, 'no end')}`,
      );
      staysInView(seen);
      assert.ok(inAll(seen, 'the end') > 30);
    }),
);

scenario(
  'follow: a person who scrolls up stays there, and is followed again at the end',
  ({ workbench, note }) =>
    narrow(workbench, async () => {
      const { page } = workbench;
      const document = await workbench.open('follow-up.md', prompt('slow').trimEnd());
      await page.keyboard.press('Control+Enter');
      await document.untilText(
        (now) => wordsIn(now) >= 300,
        'more than a window full of the reply',
        40,
      );
      await wheel(workbench, -400);
      const before = wordsIn(await document.text());
      // The edits from before the wheel have arrived.
      await document.untilText((now) => wordsIn(now) >= before + 40, 'what was under way');
      const line = await page.evaluate(() => {
        const lines = [
          ...document.querySelectorAll('.editor-group-container.active .view-line'),
        ].map((one) => ({
          text: one.textContent.replaceAll('\u00a0', ' '),
          top: one.getBoundingClientRect().top,
        }));
        return lines
          .sort((a, b) => a.top - b.top)
          .filter(({ text }) => /^w\d+ w\d+/.test(text))[8]
          .text.trim();
      });
      const frames = await watchLine(page, line);
      const from = wordsIn(await document.text());
      await document.untilText((now) => wordsIn(now) >= from + 150, 'more of the reply', 40);
      const seen = await frames.end();
      note(`${seen.frames} frames while 150 words came: the line at ${seen.places.join(', ')} px`);
      assert.equal(seen.places.length, 1);
      assert.notEqual(seen.places[0], null);
      await page.keyboard.press('Control+End');
      await document.untilText((now) => wordsIn(now) >= from + 200, 'more of the reply', 40);
      const end = await watchEnd(page);
      await document.untilText((now) => wordsIn(now) >= from + 300, 'more of the reply', 40);
      const followed = await end.end();
      await workbench.command('agentDoc.stop');
      await workbench.untilFinished(document);
      note(
        `${followed.frames} frames at the end again, out of view in ${inAll(followed, 'no end')}`,
      );
      staysInView(followed);
    }),
);

/** Runs `slow` and writes a next prompt of some lines, with the cursor in the middle. */
async function writeBelow(workbench, name, below, cursor) {
  const { page } = workbench;
  const document = await workbench.open(name, prompt('slow').trimEnd());
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => wordsIn(now) >= 200, 'a window full of the reply', 40);
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(below);
  await document.untilText((now) => now.endsWith(below), 'the text below');
  if (cursor) await document.putCursor(cursor);
  // A key shows the line, even if much text came above it in the moment of the click.
  await page.keyboard.press('End');
  return document;
}

for (const { title, below, cursor, line } of [
  {
    title: 'a line in the middle of the next question',
    below: 'One thing.\nAnother thing.\nA third thing.',
    cursor: 'Another',
    line: 'Another thing.',
  },
  {
    title: 'the line of the next question that is being written',
    below: 'One thing',
    cursor: undefined,
    line: 'One thing',
  },
  {
    title: 'a line far below the reply',
    below: Array.from({ length: 80 }, (_, index) => `Line ${index + 1}.`).join('\n'),
    cursor: 'Line 60.',
    line: 'Line 62.',
  },
]) {
  scenario(
    `follow: ${title} stays at its row while wrapped lines grow above it`,
    ({ workbench, note }) =>
      narrow(workbench, async () => {
        const { page } = workbench;
        const document = await writeBelow(workbench, `follow-row-${line.length}.md`, below, cursor);
        const from = wordsIn(await document.text());
        await document.untilText((now) => wordsIn(now) >= from + 60, 'more of the reply', 40);
        const frames = await watchLine(page, line);
        await document.untilText((now) => wordsIn(now) >= from + 460, 'more of the reply', 60);
        const { frames: count, runs } = await frames.end();
        await workbench.command('agentDoc.stop');
        await workbench.untilFinished(document);
        const text = await document.text();
        sameText(text, answered('slow', 'Hello?', words(wordsIn(text))) + below);
        const home = runs[0][1];
        const away = runs.filter(([, top]) => top === null || Math.abs(top - home) >= 10);
        const moved = away.reduce((sum, [frames]) => sum + frames, 0);
        const tops = runs.map(([, top]) => top);
        note(
          `${count} frames: the line first at ${home} px, last at ${tops.at(-1)}; in another row in ${moved} of them, at most ${Math.max(0, ...away.map(([frames]) => frames))} in a row`,
        );
        assert.ok(
          tops.at(-1) !== null && Math.abs(tops.at(-1) - home) < 10,
          'it ends in another row',
        );
        assert.ok(
          away.every(([frames]) => frames <= 2) && moved <= count / 20,
          'it was seen in other rows',
        );
      }),
  );
}

scenario('follow: not with the setting off', ({ workbench }) =>
  narrow(workbench, async () => {
    const { page } = workbench;
    const set = (value) =>
      workbench.probe.call(async (vscode, value) => {
        for (const name of ['follow', 'keepLineInPlace'])
          await vscode.workspace.getConfiguration('agentDoc').update(name, value, true);
      }, value);
    await set(false);
    try {
      const document = await workbench.open('follow-off.md', prompt('brief').trimEnd());
      const { first } = await document.state();
      await page.keyboard.press('Control+Enter');
      await workbench.untilFinished(document);
      assert.equal((await document.state()).first, first);
    } finally {
      await set(undefined);
    }
  }),
);
