// What one undo removes, and what it does to a reply that is still growing.
import assert from 'node:assert/strict';

import { prompt, words } from '../documents.mjs';
import { sameText, scenario } from '../harness.mjs';

async function press(document, key) {
  const before = await document.text();
  await document.workbench.page.keyboard.press(key);
  return document.untilText((now) => now !== before, `a change by ${key}`);
}

scenario('undo: one step takes back one reply, and redo brings it back', async ({ workbench }) => {
  const { page } = workbench;
  const before = prompt('brief');
  const document = await workbench.open('undo.md', before);
  await page.keyboard.type('More. ');
  await page.keyboard.press('Control+Enter');
  await workbench.untilAtRest(document);
  const after = await document.text();
  sameText(await press(document, 'Control+z'), `${before}More. `);
  sameText(await press(document, 'Control+y'), after);
  sameText(await press(document, 'Control+z'), `${before}More. `);
  assert.ok((await press(document, 'Control+z')).length < before.length + 'More. '.length);
});

scenario(
  'undo: two replies are two steps, and what was typed between them its own',
  async ({ workbench }) => {
    const { page } = workbench;
    const document = await workbench.open('undo-two.md', prompt('brief'));
    await page.keyboard.press('Control+Enter');
    await workbench.untilAtRest(document);
    const first = await document.text();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Again?');
    const second = `${first}Again?`;
    await document.becomes(second);
    await page.keyboard.press('Control+Enter');
    await workbench.untilAtRest(document, 2);
    assert.ok((await document.text()).includes(words(60, 2)));
    sameText(await press(document, 'Control+z'), second);
    sameText(await press(document, 'Control+z'), first);
    sameText(await press(document, 'Control+z'), prompt('brief'));
  },
);

scenario('undo: with typing in between, no step mixes the two', async ({ workbench, note }) => {
  const { page } = workbench;
  const document = await workbench.open(
    'undo-mixed.md',
    prompt('stream', 'Hello?\n\nNotes: \n\nEnd.'),
  );
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
  await document.putCursor('Notes: ');
  await page.keyboard.type('MINE MINE MINE', { delay: 60 });
  await workbench.untilAtRest(document);
  let text = await document.text();
  let typedSteps = 0;
  let replySteps = 0;
  while (text !== prompt('stream', 'Hello?\n\nNotes: \n\nEnd.')) {
    const typed = text.slice(text.indexOf('Notes: '), text.indexOf('\n\nEnd.'));
    const next = await press(document, 'Control+z');
    const typedNext = next.slice(next.indexOf('Notes: '), next.indexOf('\n\nEnd.'));
    if (typed === typedNext) replySteps += 1;
    else {
      typedSteps += 1;
      sameText(next.replace(typedNext, ''), text.replace(typed, ''));
    }
    text = next;
  }
  note(
    `14 keys in the middle of a reply: ${replySteps} steps for the reply, ${typedSteps} for the typing`,
  );
});

scenario(
  'take back: the whole reply in one step, and what was typed into it stays',
  async ({ workbench }) => {
    const { page } = workbench;
    const before = prompt('calm', 'Hello?\n\nNotes: \n\nEnd.');
    const document = await workbench.open('take-back.md', before);
    await page.keyboard.press('Control+Enter');
    await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
    await document.putCursor('Notes: ');
    await page.keyboard.type('mine', { delay: 60 });
    await document.putCursor('w5 ');
    await page.keyboard.type('MINE', { delay: 60 });
    await page.keyboard.press('Control+Alt+.');
    await workbench.untilAtRest(document);
    const after = await document.text();
    assert.ok(after.includes('w5 MINE') && after.includes('Notes: mine'));
    await page.keyboard.press('Control+Alt+z');
    await document.becomes(before.replace('Notes: ', 'Notes: mine').replace('End.', 'End.MINE'));
    await page.keyboard.press('Control+z');
    await document.becomes(after);
  },
);

scenario(
  'undo: a running reply whose text is undone pauses, and goes on when asked to',
  async ({ workbench }) => {
    const { page } = workbench;
    const document = await workbench.open('undo-running.md', prompt('slow'));
    await page.keyboard.press('Control+Enter');
    await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
    await press(document, 'Control+z');
    await page.getByText('slow: paused').waitFor();
    const paused = await document.text();
    assert.ok(!paused.includes('w20 '));
    await workbench.command('agentDoc.continueReply');
    await document.untilText(
      (now) => now !== paused && now.includes('## Assistant'),
      'the rest of the reply',
    );
    await workbench.command('agentDoc.stop');
    await workbench.untilAtRest(document);
  },
);
