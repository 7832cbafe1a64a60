// Keys typed right after run belong to the next prompt: none is in the question that was sent, and
// none is lost.
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { answered, prompt, words } from '../documents.mjs';
import { sameText, scenario } from '../harness.mjs';
import { endServer } from './restart.mjs';

const typed = 'And the next one, at once.';

/**
 * Presses run and types at once. At the end, the document has the question, the whole reply, and
 * below it the typed text.
 */
async function askAndType(
  { workbench, note },
  name,
  { text = 'Hello?', ends = '\n', cursor, delay, agent = 'brief' },
) {
  const { page } = workbench;
  const before = prompt(agent, text).trimEnd() + ends;
  const document = await workbench.open(
    name,
    before,
    cursor === undefined ? before.length : before.indexOf(cursor) + cursor.length,
  );
  await workbench.until(
    () => document.state().then((now) => now.cursor !== undefined),
    'the cursor',
  );
  await page.keyboard.press('Control+Enter');
  await page.keyboard.type(typed, { delay });
  await workbench.untilFinished(document);
  await document.becomes(answered(agent, text, words(60)) + typed);
  const { landed, refused } = workbench.writing(document);
  note(`${typed.length} keys at ${delay} ms: ${landed} edits landed, ${refused} refused`);
}

for (const delay of [0, 25, 60]) {
  scenario(`keys: right after run, ${delay} ms a key, at the end of the question`, (context) =>
    askAndType(context, `keys-end-${delay}.md`, { ends: '', delay }),
  );
  scenario(`keys: right after run, ${delay} ms a key, in the line below the question`, (context) =>
    askAndType(context, `keys-below-${delay}.md`, { delay }),
  );
  scenario(`keys: right after run, ${delay} ms a key, in the middle of the question`, (context) =>
    askAndType(context, `keys-middle-${delay}.md`, {
      text: 'Hello, who are you?\n\nAnd what can you do?',
      ends: '',
      cursor: 'Hello,',
      delay,
    }),
  );
}

scenario('keys: right after run, before an agent that thinks says anything', (context) =>
  askAndType(context, 'keys-thinking.md', { ends: '', delay: 30, agent: 'thinking' }),
);

for (const ends of ['', '\n']) {
  scenario(
    `keys: right after run while the server is not up yet${ends === '' ? '' : ', in the line below the question'}`,
    async (context) => {
      await context.workbench.open(`keys-warm-${ends.length}.md`, prompt('brief'));
      await endServer(context.workbench);
      await askAndType(context, `keys-cold-${ends.length}.md`, { ends, delay: 15 });
    },
  );
}

/**
 * Sets the document's language to markdown in a window that has just started: our extension waits
 * for that. Holds the extension host until the keys are typed, so that the extension is late on any
 * machine.
 */
async function pressBeforeItIsUp({ workbench }, name, before, at) {
  await workbench.stop();
  await workbench.start();
  const [file, hold, held] = [
    path.join(workbench.docs, name),
    path.join(workbench.home, 'hold'),
    path.join(workbench.home, 'held'),
  ];
  writeFileSync(file, before);
  writeFileSync(hold, '');
  rmSync(held, { force: true });
  await workbench.probe.call(
    async (vscode, { file, at }) => {
      const document = await vscode.workspace.openTextDocument(file);
      const cursor = document.positionAt(at);
      await vscode.window.showTextDocument(document, {
        preview: false,
        selection: new vscode.Range(cursor, cursor),
      });
    },
    { file, at },
  );
  const { page } = workbench;
  await page.waitForSelector('.editor-group-container.active .monaco-editor.focused');
  const over = workbench.probe.call(
    (vscode, { hold, held }) => {
      const { existsSync, writeFileSync } = process.getBuiltinModule('node:fs');
      writeFileSync(held, '');
      while (existsSync(hold)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    },
    { hold, held },
  );
  try {
    await workbench.until(() => existsSync(held), 'the extension host to be held');
    await page.keyboard.press('Control+K');
    await page.keyboard.press('M');
    await page.waitForSelector('.quick-input-widget input');
    await page.keyboard.insertText('markdown');
    await page
      .locator('.quick-input-list .monaco-list-row', { hasText: '(markdown)' })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.editor-group-container.active .monaco-editor.focused');
    await page.locator('.statusbar-item', { hasText: 'Markdown' }).first().waitFor();
    await page.keyboard.press('Control+Enter');
    await page.keyboard.type(typed, { delay: 10 });
  } finally {
    rmSync(hold);
  }
  await over;
  return workbench.document(name);
}

scenario('keys: before the extension is up, at the end of the question', async (context) => {
  const before = prompt('brief').trimEnd();
  const document = await pressBeforeItIsUp(context, 'keys-early-end.md', before, before.length);
  await context.workbench.untilFinished(document);
  await document.becomes(answered('brief', 'Hello?', words(60)) + typed);
});

scenario('keys: before the extension is up, in the middle of the question', async (context) => {
  const text = 'Hello 🙂, who are you?\n\nAnd what can you do?';
  const before = prompt('brief', text).trimEnd();
  const document = await pressBeforeItIsUp(
    context,
    'keys-early-middle.md',
    before,
    before.indexOf('🙂') + '🙂'.length,
  );
  await context.workbench.untilFinished(document);
  await document.becomes(answered('brief', text, words(60)) + typed);
});

scenario(
  'keys: before the extension is up, in a markdown file without front matter',
  async (context) => {
    const text = 'What time is it?\n';
    const document = await pressBeforeItIsUp(context, 'keys-early-plain.md', text, text.length);
    await context.workbench.notification('Make this a conversation?').waitFor();
    sameText(await document.text(), `${text}${typed}`);
  },
);

scenario('keys: the agent is not asked what was typed right after run', async ({ workbench }) => {
  const { page } = workbench;
  const document = await workbench.open('keys-asked.md', prompt('tour', 'long').trimEnd());
  await page.keyboard.press('Control+Enter');
  await page.keyboard.type(typed, { delay: 10 });
  const text = await document.untilText(
    (now) => now.includes('You wrote'),
    'the beginning of the reply',
    30,
  );
  await page.keyboard.press('Control+Alt+.');
  await workbench.untilFinished(document);
  const now = await document.text();
  assert.ok(text.includes('## User\n\nlong\n\n## Assistant\n'), text);
  assert.equal(now.split(typed).length, 2, now);
  assert.ok(now.endsWith(`\n\n## User\n\n${typed}`), now);
});

scenario('keys: run by the palette takes the cursor to the next prompt', async ({ workbench }) => {
  const { page } = workbench;
  const before = prompt('brief', 'Hello, who are you?').trimEnd();
  const document = await workbench.open('keys-palette.md', before, before.indexOf('Hello,'));
  await workbench.palette('agent-doc: Run');
  await document.untilText((now) => now.includes('## Assistant'), 'the place of the reply');
  await page.keyboard.type(typed);
  await workbench.untilFinished(document);
  await document.becomes(answered('brief', 'Hello, who are you?', words(60)) + typed);
});

scenario(
  'keys: an agent that is missing: what was typed after its question stays, below it',
  async ({ workbench }) => {
    const before = prompt('absent').trimEnd();
    const document = await workbench.open('keys-absent.md', before);
    await workbench.page.keyboard.press('Control+Enter');
    await workbench.page.keyboard.type(typed, { delay: 20 });
    await workbench.notification('/no/such/agent').waitFor();
    await document.untilText(
      (now) => !now.includes('## Assistant') && now.endsWith(typed),
      'the document without a frame',
    );
    const text = await document.text();
    // If the run is refused at once, there is no frame: the text was typed after the question,
    // which is open again.
    if (text !== `${before}${typed}`) sameText(text, `${before}\n\n${typed}`);
  },
);

scenario('keys: a cursor in an earlier turn stays where it is', async ({ workbench }) => {
  const { page } = workbench;
  const before = `${answered('brief', 'First?', 'Hi there.')}Again?`;
  const document = await workbench.open(
    'keys-elsewhere.md',
    before,
    before.indexOf('Hi there.') + 'Hi there.'.length,
  );
  await page.keyboard.press('Control+Enter');
  await page.keyboard.type('!!', { delay: 20 });
  await workbench.untilFinished(document);
  await document.becomes(
    `${before.replace('Hi there.', 'Hi there.!!')}\n\n## Assistant\n\n${words(60)}\n\n## User\n\n`,
  );
});

scenario('keys: run in a markdown file without front matter asks first', async ({ workbench }) => {
  const { page } = workbench;
  const text = 'What time is it?\n';
  const document = await workbench.open('keys-plain.md', text);
  await page.keyboard.press('Control+Enter');
  const question = workbench.notification('Make this a conversation?');
  await question.waitFor();
  sameText(await document.text(), text);
  await workbench.click(question.getByText('Ask the Agent'));
  await document.untilText(
    (now) => now.startsWith('---\nagent_doc_session: ') && now.includes('## Assistant'),
    'a conversation',
    30,
  );
  await workbench.command('agentDoc.stop');
  await workbench.untilFinished(document);
});
