// The first minutes with the extension: trust, notifications and their buttons, sessions to
// continue, and the look of a reply.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { answered, prompt, words } from '../documents.mjs';
import { sameText, scenario } from '../harness.mjs';
import { endServer } from './restart.mjs';

const row = (workbench, text) =>
  workbench.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
const tab = (workbench, name) =>
  workbench.page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);

scenario('status: it is shown once', async ({ workbench }) => {
  const document = await workbench.open('status-once.md', prompt('slow'));
  await workbench.page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w60 '), 'the beginning of the reply');
  await workbench.page.locator('.statusbar-item', { hasText: 'slow: writing' }).waitFor();
  const shown = await workbench.page
    .locator('.statusbar-item', { hasText: /slow|agent-doc/ })
    .allTextContents();
  assert.equal(shown.length, 1, shown.join(' | '));
  await workbench.command('agentDoc.stop');
  await workbench.untilFinished(document);
});

scenario(
  'messages: an agent that is missing comes with the list of the others, and the configuration',
  async ({ workbench }) => {
    const document = await workbench.open('door-missing.md', prompt('absent'));
    await workbench.page.keyboard.press('Control+Enter');
    const message = workbench.notification('/no/such/agent');
    await workbench.click(message.getByText('Choose Another Agent'));
    await workbench.click(row(workbench, 'brief'));
    await document.untilText(
      (now) => now.includes(`## Assistant\n\n${words(60)}\n`),
      'the reply of the other agent',
      30,
    );
    const other = await workbench.open('door-config.md', prompt('absent'));
    await workbench.page.keyboard.press('Control+Enter');
    await workbench.click(workbench.notification('/no/such/agent').getByText('Open config.toml'));
    await tab(workbench, 'config.toml');
    sameText(readFileSync(other.file, 'utf8'), prompt('absent'));
  },
);

scenario('messages: a document without a file is to be saved', async ({ workbench }) => {
  await workbench.command('workbench.action.closeAllEditors');
  await workbench.probe.call(async (vscode) => {
    const document = await vscode.workspace.openTextDocument({
      language: 'markdown',
      content: 'Hello?',
    });
    await vscode.window.showTextDocument(document);
  });
  await workbench.palette('agent-doc: Run');
  await workbench.click(workbench.notification('Save this document first').getByText('Save…'));
  await workbench.page.locator('.quick-input-widget', { hasText: 'Save' }).first().waitFor();
  await workbench.page.keyboard.press('Escape');
  await workbench.command('workbench.action.revertAndCloseActiveEditor');
});

scenario(
  "messages: a question's notification goes when the question is answered elsewhere",
  async ({ workbench }) => {
    const document = await workbench.open('door-question.md', prompt('tour', 'What time is it?'));
    await workbench.page.keyboard.press('Control+Enter');
    const notification = workbench.notification('The agent wants to use Tour');
    await notification.waitFor();
    await workbench.page.keyboard.press('Control+Alt+Enter');
    await workbench.click(row(workbench, 'Deny'));
    await notification.waitFor({ state: 'detached' });
    await workbench.untilFinished(document);
    assert.equal(workbench.writing(document).state, 'done');
  },
);

scenario('messages: what is missing of a reply is inserted by a button', async ({ workbench }) => {
  const document = await workbench.open('door-recover.md', prompt('slow'));
  await workbench.page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w200 '), 'the beginning of the reply', 30);
  await endServer(workbench);
  const came = await document.text();
  const kept = came.slice(0, came.indexOf('w100 '));
  const rest = came.slice(came.indexOf('\n\n## User\n\n', kept.length));
  await workbench.probe.call(
    async (vscode, { file, text }) => {
      const document = vscode.workspace.textDocuments.find((one) => one.uri.fsPath === file);
      const edit = new vscode.WorkspaceEdit();
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
    },
    { file: document.file, text: kept + rest },
  );
  await workbench.command('agentDoc.restartServer');
  await workbench.click(
    workbench
      .notification('is not all there')
      .getByRole('button', { name: 'Insert What Is Missing' }),
  );
  const text = await document.untilText((now) => now.includes('w200 '), 'what was missing', 30);
  const count = text.match(/w\d+/g).length;
  const whole = ['', ' ', '\n'].map((end) => answered('slow', 'Hello?', words(count) + end));
  if (!whole.includes(text)) sameText(text, whole[0]);
});

scenario('sessions: one is chosen, and the document goes on with it', async ({ workbench }) => {
  const document = await workbench.open('door-session.md', '---\nagent: keeper\n---\n\nHello?\n');
  await workbench.palette('agent-doc: Continue a Session…');
  await workbench.click(row(workbench, 'keeper'));
  await workbench.click(row(workbench, 'Mock title (fork #1)'));
  const text = await document.untilText((now) => now.includes('resume: '), 'the session');
  assert.match(text, /^---\nagent: keeper\nresume: ses_\w+\n---\n\nHello\?\n$/);
});

scenario(
  "look: a line goes along the agent's text, and not along the person's",
  async ({ workbench }) => {
    const { page } = workbench;
    await workbench.open('door-look.md', answered('brief', 'Hello?', 'One.\n\nTwo.'));
    const tops = () =>
      page.evaluate(() => {
        const top = (element) => Math.round(element.getBoundingClientRect().top);
        const marked = [
          ...document.querySelectorAll('.editor-group-container.active .view-overlays .cdr'),
        ]
          .filter((one) => getComputedStyle(one).borderLeftWidth === '2px')
          .map(top);
        const lines = [
          ...document.querySelectorAll('.editor-group-container.active .view-line'),
        ].map((one) => [one.textContent, top(one)]);
        return { marked, lines: Object.fromEntries(lines) };
      });
    await workbench.until(async () => (await tops()).marked.length > 0, 'the line');
    const { marked, lines } = await tops();
    const has = (text) => marked.some((top) => Math.abs(top - lines[text]) < 6);
    assert.deepEqual(
      [has('One.'), has('Two.'), has('Hello?'), has('## User')],
      [true, true, false, false],
    );
  },
);

scenario(
  'server: one that speaks a newer protocol is told in a sentence',
  async ({ workbench }) => {
    const program = path.join(workbench.home, 'newer');
    const own = await workbench.probe.call(
      (vscode) => vscode.extensions.getExtension('agent-doc.agent-doc').extensionPath,
    );
    writeFileSync(
      program,
      `#!/bin/sh\nexec '${own}/bin/agent-doc' "$@" | perl -e '$| = 1; while (sysread(STDIN, $b, 65536)) { $b =~ s/"protocol":1/"protocol":2/; print $b }'\n`,
    );
    chmodSync(program, 0o755);
    const settings = path.join(workbench.data, 'Machine/settings.json');
    mkdirSync(path.dirname(settings), { recursive: true });
    await workbench.open('door-newer.md', prompt('brief'));
    try {
      writeFileSync(settings, JSON.stringify({ 'agentDoc.server.path': program }));
      await workbench.click(
        workbench.notification('The setting takes effect when').getByText('Restart the Server'),
      );
      await workbench
        .notification('speaks protocol 2, which is newer than this extension: update the extension')
        .waitFor();
    } finally {
      writeFileSync(settings, '{}');
      await workbench.click(
        workbench.notification('The setting takes effect when').getByText('Restart the Server'),
      );
    }
  },
);

scenario(
  'trust: the tour runs in a folder that is not trusted, other agents ask for trust',
  async ({ workbench }) => {
    const { stop, start } = {
      stop: () => workbench.stop(),
      start: (options) => workbench.start(options),
    };
    await stop();
    await start({ trust: true });
    try {
      await workbench.palette('agent-doc: Open the Guided Tour');
      await tab(workbench, 'agent-doc-tour.md');
      const tour = workbench.document('agent-doc-tour.md');
      await workbench.untilFinished(tour);
      assert.match(await tour.text(), /\n## Assistant\n\n\S/);
      const before = prompt('brief');
      const document = await workbench.open('untrusted.md', before);
      await workbench.page.keyboard.press('Control+Enter');
      const message = workbench.notification('Agents are started only in folders that you trust');
      await workbench.click(message.getByText('Manage Workspace Trust'));
      await workbench.page.getByText('Workspace Trust').first().waitFor();
      sameText(await document.text(), before);
    } finally {
      await stop();
      await start({});
    }
  },
);
