// The server is killed, the editor is closed and opened again: texts stay, sessions continue.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { answered, prompt, words } from '../documents.mjs';
import { sameText, scenario } from '../harness.mjs';

/** Returns the server that this workbench has started. */
function serverOf(workbench) {
  const found = execFileSync(
    'pgrep',
    ['-f', `${workbench.home}/extensions/.*/bin/agent-doc serve`],
    { encoding: 'utf8' },
  );
  return Number(found.trim().split('\n')[0]);
}

/** Kills the server while nothing runs; the next run starts it again. */
export async function endServer(workbench) {
  process.kill(serverOf(workbench), 'SIGKILL');
  await workbench.notification('The server of agent-doc ended unexpectedly').waitFor();
}

scenario(
  'server: killed in the middle of a reply, it is said, the text stays, and it can be started again',
  async ({ workbench }) => {
    const { page } = workbench;
    const document = await workbench.open('killed.md', prompt('slow'));
    await page.keyboard.press('Control+Enter');
    await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
    process.kill(serverOf(workbench), 'SIGKILL');
    const notification = workbench.notification('in the middle of the reply in killed.md');
    await notification.waitFor();
    await page.locator('.statusbar-item', { hasText: 'slow: interrupted' }).waitFor();
    const text = await document.text();
    // The space or line end after the last word may or may not have arrived.
    const reply = words(text.match(/w\d+/g).length);
    const whole = ['', ' ', '\n'].map((end) => answered('slow', 'Hello?', reply + end));
    if (!whole.includes(text)) sameText(text, whole[0]);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('Go on.');
    await workbench.click(notification.getByText('Restart', { exact: true }));
    await page.keyboard.press('Control+Enter');
    await document.untilText((now) => now.split('w20 ').length === 3, 'the next reply');
    sameText((await document.text()).slice(0, text.length), text);
    await page.keyboard.press('Control+Alt+.');
    await workbench.untilAtRest(document, 2);
  },
);

scenario('server: a program that is not there is said', async ({ workbench }) => {
  await workbench.open('not-found.md', prompt('brief'));
  const settings = path.join(workbench.data, 'Machine/settings.json');
  mkdirSync(path.dirname(settings), { recursive: true });
  const restart = async (text) => {
    writeFileSync(settings, text);
    await workbench.click(
      workbench.notification('The setting takes effect when').getByText('Restart the Server'),
    );
  };
  try {
    await restart('{"agentDoc.server.path": "/no/such/program"}');
    await workbench.notification('/no/such/program could not be started').waitFor();
  } finally {
    await restart('{}'); // also when this failed: what comes next needs a server
  }
  const document = await workbench.open('found-again.md', prompt('brief'));
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.untilAtRest(document);
});

scenario('tour: one button opens it and lets it reply', async ({ workbench }) => {
  await workbench.palette('agent-doc: Open the Guided Tour');
  await workbench.page.waitForSelector('.tab.active[data-resource-name="agent-doc-tour.md"]');
  const document = workbench.document('agent-doc-tour.md');
  await workbench.untilAtRest(document);
  const text = await document.text();
  assert.match(
    text,
    new RegExp(
      '^---\\nagent_doc_session: [-0-9a-f]{36}\\nagent: tour\\nresume: [-0-9a-f]{36}\\n---\\n\\n' +
        '## User\\n\\nShow me around\\.\\n',
    ),
  );
  await workbench.open('other.md', prompt('brief'));
  await workbench.palette('agent-doc: Open the Guided Tour');
  await workbench.page.waitForSelector('.tab.active[data-resource-name="agent-doc-tour.md"]');
  sameText(await document.text(), text);
  assert.deepEqual(
    readdirSync(workbench.docs).filter((name) => name.startsWith('agent-doc-tour')),
    ['agent-doc-tour.md'],
  );
});

scenario('editor: started again, the session of a document goes on', async ({ workbench }) => {
  let document = await workbench.open('resume.md', prompt('tour', 'fork'));
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.untilAtRest(document);
  const before = await document.text();
  await workbench.page.keyboard.press('Control+s');
  await workbench.until(() => readFileSync(document.file, 'utf8') === before, 'the saved file');
  await workbench.stop();
  await workbench.start();
  document = await workbench.open('resume.md');
  await workbench.page.keyboard.type('history');
  await workbench.page.keyboard.press('Control+Enter');
  await workbench.untilAtRest(document, 2);
  const text = await document.text();
  sameText(text.slice(0, before.length), before);
  assert.match(text.slice(before.length), /“fork”|"fork"|`fork`|> fork/);
});
