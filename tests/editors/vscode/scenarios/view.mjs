// A reply moves nothing that a person looks at: cursors, the window, folds, other windows.
import assert from 'node:assert/strict';

import { answered, prompt, words } from '../documents.mjs';
import { watchCursor, watchLine } from '../frames.mjs';
import { sameText, scenario } from '../harness.mjs';

const manyLines = (count, name) =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}.`).join('\n');

/** Runs `slow` and pastes `below` after the next heading. */
async function streamAbove(workbench, name, below) {
  const { page } = workbench;
  const document = await workbench.open(name, prompt('slow'));
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('## Assistant'), 'the place of the reply');
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(below);
  await document.untilText((now) => now.endsWith(below), 'the text below');
  return document;
}

const wordsIn = (text) => text.match(/\bw\d+/g)?.length ?? 0;

/** Lets the reply grow by some lines. */
async function grow(document) {
  const target = wordsIn(await document.text()) + 240;
  await document.untilText((now) => wordsIn(now) >= target, 'more of the reply', 30);
}

async function stop(workbench, document) {
  await workbench.command('agentDoc.stop');
  await workbench.untilFinished(document);
  return document.text();
}

scenario(
  'view: a person who has scrolled up while the reply grows stays there',
  async ({ workbench, note }) => {
    const { page } = workbench;
    const document = await workbench.open('view-up.md', prompt('stream'));
    await page.keyboard.press('Control+Enter');
    await document.untilText((now) => wordsIn(now) >= 500, 'more than a window full of the reply');
    await page.keyboard.press('Control+End');
    await document.untilText((now) => wordsIn(now) >= 560, 'lines above the cursor');
    // The window has 33 lines, so the cursor at the end is a few lines below it.
    const { text, first: before } = await document.state();
    const up = before - (text.split('\n').length - 41);
    await workbench.command('editorScroll', {
      to: 'up',
      by: 'line',
      value: up,
      revealCursor: false,
    });
    await workbench.until(
      async () => (await document.state()).first < before - up / 2,
      'the window further up',
    );
    const { first } = await document.state();
    await workbench.untilFinished(document);
    sameText(await document.text(), answered('stream', 'Hello?', words(1200)));
    note(
      `first line in sight ${before}, then ${first}, at the end ${(await document.state()).first}`,
    );
    assert.equal((await document.state()).first, first);
  },
);

/**
 * Makes the window `times` slower, as on a small machine, so that keys arrive during an edit.
 */
async function slowDown(page, times) {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: times });
  return {
    async end() {
      await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
      await session.detach();
    },
  };
}

scenario('view: it stays when the reply grows above the window', async ({ workbench, note }) => {
  const { page } = workbench;
  const below = manyLines(120, 'Line');
  const document = await streamAbove(workbench, 'view-above.md', below);
  await page.getByText('Line 118.').waitFor();
  await grow(document);
  const frames = await watchLine(page, 'Line 118.');
  await grow(document);
  const { frames: count, runs } = await frames.end();
  const text = await stop(workbench, document);
  sameText(text, answered('slow', 'Hello?', words(wordsIn(text))) + below);
  const home = runs.at(-1)[1];
  const away = runs.filter(([, top]) => top !== home);
  const moved = away.reduce((sum, [frames]) => sum + frames, 0);
  note(
    `${count} frames, in ${moved} of them the line was elsewhere, at most ${Math.max(0, ...away.map(([frames]) => frames))} in a row`,
  );
  assert.equal(runs[0][1], home);
});

scenario(
  'view: the line of the cursor stays when the reply grows above it in the window',
  async ({ workbench, note }) => {
    const { page } = workbench;
    const document = await streamAbove(workbench, 'view-cursor.md', 'Next: ');
    await document.untilText((now) => now.includes('w60 '), 'more of the reply');
    const frames = await watchCursor(page);
    await page.keyboard.type('what I ask next, while it goes on above', { delay: 60 });
    await grow(document);
    const { frames: count, places, runs } = await frames.end();
    await stop(workbench, document);
    const tops = places.filter((top) => top !== null);
    note(
      `${count} frames; the cursor's line between ${Math.min(...tops)} and ${Math.max(...tops)} px, first ${runs[0][1]}, last ${runs.at(-1)[1]}`,
    );
    assert.ok(
      Math.abs(runs[0][1] - runs.at(-1)[1]) <= 19,
      'it ends a line or more away from where it was',
    );
  },
);

scenario(
  'view: the line of the cursor stays while 800 lines come above it and a slow window has keys to show',
  async ({ workbench, note }) => {
    const { page } = workbench;
    const word = 'so on ';
    const document = await workbench.open('view-tall.md', prompt('tall'));
    const slow = await slowDown(page, 4);
    try {
      await page.keyboard.press('Control+Enter');
      await document.untilText((now) => now.includes('w600 '), 'a window full of the reply');
      await page.keyboard.press('Control+End');
      await page.keyboard.type('Next: ');
      await document.untilText((now) => now.endsWith('Next: '), 'what is typed');
      const frames = await watchCursor(page);
      let keys = 0;
      for (; !workbench.finished(document); keys += 2 * word.length) {
        await page.keyboard.type(word, { delay: 25 });
        // Delete the word again: a full line would be wrapped, and the cursor would be in a lower
        // row.
        for (const _ of word) await page.keyboard.press('Backspace', { delay: 25 });
      }
      await document.becomes(`${answered('tall', 'Hello?', words(9600))}Next: `);
      const { frames: count, runs } = await frames.end();
      const tops = runs.map(([, top]) => top).filter((top) => top !== null);
      note(
        `${count} frames, ${keys} keys; the cursor's line first at ${tops[0]} px, last at ${tops.at(-1)}, between ${Math.min(...tops)} and ${Math.max(...tops)}`,
      );
      assert.ok(
        Math.abs(tops[0] - tops.at(-1)) <= 19,
        'it ends a line or more away from where it was',
      );
    } finally {
      await slow.end();
    }
  },
  { matrix: true },
);

scenario(
  'view: another window on the document, and folds, stay as they are',
  async ({ workbench }) => {
    const { page } = workbench;
    const earlier = answered('stream', 'First?', manyLines(60, 'Old'));
    const document = await workbench.open('view-split.md', `${earlier}Again?\n`);
    await workbench.command('workbench.action.splitEditorRight');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowDown');
    await workbench.command('editor.fold', { selectionLines: [10] });
    const look = () =>
      workbench.probe.call((vscode, file) => {
        const editors = vscode.window.visibleTextEditors.filter(
          (one) => one.document.uri.fsPath === file,
        );
        const other = editors.find((one) => one === vscode.window.activeTextEditor);
        return {
          editors: editors.length,
          cursor: other.selection.active,
          ranges: other.visibleRanges.map(({ start, end }) => [start.line, Math.min(end.line, 60)]),
        };
      }, document.file);
    await workbench.until(async () => (await look()).ranges.length === 2, 'the fold');
    const before = await look();
    await workbench.command('workbench.action.focusFirstEditorGroup');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Control+Enter');
    await workbench.untilFinished(document);
    await workbench.command('workbench.action.focusSecondEditorGroup');
    await workbench.until(async () => (await look()).editors === 2, 'both windows');
    const after = await look();
    assert.deepEqual(after.cursor, before.cursor);
    assert.equal(after.ranges[0][0], before.ranges[0][0]);
    assert.deepEqual(after.ranges[0], before.ranges[0]);
    assert.equal(after.ranges.length, 2);
  },
);

scenario('view: a reply goes on in a document that is not in sight', async ({ workbench }) => {
  const { page } = workbench;
  const document = await workbench.open('hidden.md', prompt('stream'));
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
  await workbench.command('workbench.action.files.newUntitledFile');
  await page.keyboard.type('elsewhere', { delay: 60 });
  await workbench.untilFinished(document);
  sameText(await document.text(), answered('stream', 'Hello?', words(1200)));
  const active = await workbench.probe.call((vscode) =>
    vscode.window.activeTextEditor.document.getText(),
  );
  assert.equal(active, 'elsewhere');
  await workbench.command('workbench.action.revertAndCloseActiveEditor');
});
