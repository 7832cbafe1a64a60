// Stopping, refusing, asking, forking, failing: everything that a person does with a reply except
// reading it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { answered, prompt, sessionId, words } from '../documents.mjs';
import { sameText, scenario } from '../harness.mjs';

async function begin(workbench, name, agent = 'slow', text) {
  const document = await workbench.open(name, prompt(agent, text));
  await workbench.page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
  return document;
}

/** Checks that the turn is cancelled and that the received text of the reply stays as it is. */
async function stopped(workbench, document, agent = 'slow') {
  await workbench.untilFinished(document);
  assert.equal(workbench.writing(document).state, 'cancelled');
  const text = await document.text();
  const count = text.match(/w\d+/g).length;
  sameText(text, answered(agent, 'Hello?', words(count)));
}

scenario('stop: by the key', async ({ workbench }) => {
  const document = await begin(workbench, 'stop-key.md');
  await workbench.page.keyboard.press('Control+Alt+.');
  await stopped(workbench, document);
});

scenario('stop: by the palette', async ({ workbench }) => {
  const document = await begin(workbench, 'stop-palette.md');
  await workbench.palette('agent-doc: Stop');
  await stopped(workbench, document);
});

scenario('stop: in the status bar', async ({ workbench }) => {
  const document = await begin(workbench, 'stop-status.md');
  await workbench.click(
    workbench.page.locator('.statusbar-item', { hasText: 'slow: writing' }).locator('a').first(),
  );
  await stopped(workbench, document);
});

scenario('run: a second one is refused while the first goes on', async ({ workbench }) => {
  const document = await begin(workbench, 'busy.md');
  await workbench.palette('agent-doc: Run');
  await workbench.notification('a turn is running in busy.md already').waitFor();
  await workbench.page.keyboard.press('Control+Alt+.');
  await stopped(workbench, document);
});

scenario(
  'run: the key while a reply streams queues the next question, and it is taken back',
  async ({ workbench }) => {
    const document = await begin(workbench, 'queue.md');
    await workbench.page.keyboard.type('And you?');
    await workbench.page.keyboard.press('Control+Enter');
    await workbench.page.locator('.statusbar-item', { hasText: 'next queued' }).waitFor();
    await workbench.palette('agent-doc: Take the Queued Prompt Back');
    await workbench.page
      .locator('.statusbar-item', { hasText: 'next queued' })
      .waitFor({ state: 'detached' });
    await workbench.page.keyboard.press('Control+Alt+.');
    await workbench.untilFinished(document);
    assert.match(await document.text(), /## User\s+And you\?\s*$/);
  },
);

scenario('run: nothing to send is said', async ({ workbench }) => {
  const text = answered('brief', 'Hello?', 'Hi.');
  const document = await workbench.open('nothing.md', text);
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.notification('there is nothing to send').waitFor();
  sameText(await document.text(), text);
});

scenario(
  'run: an agent that is missing is said, and the document stays as it was',
  async ({ workbench }) => {
    const document = await workbench.open('missing.md', prompt('absent'));
    await workbench.page.keyboard.press('Control+Enter');
    await workbench.notification('/no/such/agent').waitFor();
    await document.untilText((now) => now === prompt('absent'), 'the document as it was');
  },
);

scenario(
  'run: another agent is chosen from the list of those that are there',
  async ({ workbench }) => {
    const document = await workbench.open('another.md', prompt('slow'));
    await workbench.palette('agent-doc: Ask Another Agent…');
    const row = (name) =>
      workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: name });
    await row('brief').waitFor(); // those that are installed come first
    await workbench.page.keyboard.type('absent');
    await row('absent').getByText('not installed').waitFor();
    await workbench.page.keyboard.press('Control+a');
    await workbench.page.keyboard.type('brief');
    await row('absent').waitFor({ state: 'detached' });
    await workbench.click(row('brief'));
    const text = await document.untilText(
      (now) => now.includes(`## Assistant\n\n${words(60)}\n`),
      "the other agent's reply",
    );
    assert.ok(text.includes('agent: slow\n'), text);
  },
);

const question = 'What time is it?';

for (const { title, button, says } of [
  { title: 'allowed', button: 'Allow once', says: /UTC|clock says|o'clock|\d\d:\d\d/ },
  { title: 'denied', button: 'Deny', says: /not allowed|denied|without/i },
]) {
  scenario(`permission: ${title} in the notification`, async ({ workbench }) => {
    const document = await workbench.open(`permission-${title}.md`, prompt('tour', question));
    await workbench.page.keyboard.press('Control+Enter');
    const notification = workbench.notification('The agent wants to use Tour');
    await workbench.page.locator('.statusbar-item', { hasText: 'tour asks' }).waitFor();
    await workbench.page.keyboard.type('free'); // nothing modal is in the way
    await workbench.click(notification.getByText(button));
    await workbench.untilFinished(document);
    const text = await document.text();
    assert.match(text, says);
    assert.ok(text.includes('free'));
  });
}

scenario('permission: answered by the key, in a list', async ({ workbench }) => {
  const document = await workbench.open('permission-list.md', prompt('tour', question));
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.page.locator('.statusbar-item', { hasText: 'tour asks' }).waitFor();
  await workbench.page.keyboard.press('Control+Alt+Enter');
  await workbench.click(
    workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Allow once' }),
  );
  await workbench.untilFinished(document);
  assert.equal(workbench.writing(document).state, 'done');
});

scenario(
  'permission: a long change: its beginning in the notification, all of it read-only',
  async ({ workbench }) => {
    const { page } = workbench;
    const document = await workbench.open('permission-long.md', prompt('writer'));
    await page.keyboard.press('Control+Enter');
    const notification = workbench.notification('The agent wants to use edit');
    await notification.waitFor();
    const rows = (first, last) =>
      Array.from({ length: last - first + 1 }, (_, row) => `    + line ${first + row}`);
    const title = ['Write new.txt', 'change of new.txt:'];
    const words = (text) => text.replace(/\s+/g, ' ').trim();
    const shown = words(await notification.locator('.notification-list-item-message').innerText());
    sameText(
      shown,
      words(
        [
          'The agent wants to use edit:',
          ...title,
          ...rows(1, 18),
          '<… 20 lines are left out here …>',
          ...rows(39, 40),
        ].join(' '),
      ),
    );
    for (const open of [
      () => workbench.click(notification.getByText('Show all of it')),
      async () => {
        await page.keyboard.press('Control+Alt+Enter');
        await workbench.click(
          page.locator('.quick-input-list .monaco-list-row', { hasText: 'Show all of it' }),
        );
      },
    ]) {
      await open();
      await page.waitForSelector('.tab.active[data-resource-name="edit"]');
      await page.keyboard.type('typed');
      const whole = await workbench.probe.call(
        async (vscode) => vscode.window.activeTextEditor.document.getText(),
      );
      sameText(
        whole.replace(/^.* wants/, 'It wants'),
        ['It wants to use edit', '', ...title, ...rows(1, 40), ''].join('\n'),
      );
      await workbench.command('workbench.action.closeActiveEditor');
      await page.waitForSelector('.tab.active[data-resource-name="permission-long.md"]');
      await page.waitForSelector('.editor-group-container.active .monaco-editor.focused');
      await page.locator('.statusbar-item', { hasText: 'writer asks' }).waitFor();
    }
    await notification.waitFor(); // it asks again
    await workbench.click(notification.getByText('Reject'));
    await workbench.untilFinished(document);
    sameText(await document.text(), answered('writer', 'Hello?', 'Done.', { resume: 's1' }));
  },
);

scenario('permission: answered by a code action', async ({ workbench }) => {
  const document = await workbench.open('permission-action.md', prompt('tour', question));
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.page.locator('.statusbar-item', { hasText: 'tour asks' }).waitFor();
  await workbench.probe.call(async (vscode, file) => {
    const actions = await vscode.commands.executeCommand(
      'vscode.executeCodeActionProvider',
      vscode.Uri.file(file),
      new vscode.Range(0, 0, 0, 0),
    );
    const { command } = actions.find((action) => action.title.startsWith('agent-doc: Deny'));
    await vscode.commands.executeCommand(command.command, ...command.arguments);
  }, document.file);
  await workbench.untilFinished(document);
  assert.equal(workbench.writing(document).state, 'done');
});

scenario(
  'lenses: Run above the prompt, Stop above the reply, and what is known of it',
  async ({ workbench }) => {
    const { page } = workbench;
    const lens = (text) => page.locator('.codelens-decoration', { hasText: text }).first();
    const text = prompt('tour', 'long');
    const document = await workbench.open('lenses.md', text, text.trimEnd().length);
    await workbench.click(lens('Run').locator('a').first());
    await document.untilText((now) => now.includes('You wrote'), 'the beginning of the reply');
    // The window follows the reply, so its lens may be out of sight.
    await workbench.probe.call(async (vscode, file) => {
      const lenses = await vscode.commands.executeCommand(
        'vscode.executeCodeLensProvider',
        vscode.Uri.file(file),
        20,
      );
      const { command } = lenses.find((one) => one.command?.title.includes('Stop'));
      await vscode.commands.executeCommand(command.command, ...command.arguments);
    }, document.file);
    await workbench.untilFinished(document);
    assert.equal(workbench.writing(document).state, 'cancelled');
    await page.keyboard.press('Control+Home');
    await lens('tour · cancelled').waitFor();
    await lens('Retry').waitFor();
  },
);

scenario('lenses: none in a markdown file that is no session document', async ({ workbench }) => {
  const document = await workbench.open('readme.md', '# A guide\n\n## User\n\nguide\n');
  const lenses = await workbench.probe.call(
    (vscode, file) =>
      vscode.commands.executeCommand('vscode.executeCodeLensProvider', vscode.Uri.file(file)),
    document.file,
  );
  assert.deepEqual(lenses, []);
});

scenario('fork: opens the new document beside the old one', async ({ workbench }) => {
  const document = await workbench.open('tree.md', prompt('brief'));
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.untilAtRest(document);
  await workbench.palette('agent-doc: Fork');
  await workbench.page.waitForSelector('.tab.active[data-resource-name="tree-fork.md"]');
  const forked = readFileSync(path.join(workbench.docs, 'tree-fork.md'), 'utf8');
  assert.ok(
    forked.includes(`session: "${sessionId}"`) &&
      forked.includes('forked_from:') &&
      !forked.includes('resume:'),
    forked,
  );
  sameText(await document.text(), answered('brief', 'Hello?', words(60)));
});
