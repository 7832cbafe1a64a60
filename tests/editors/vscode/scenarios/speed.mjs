// Measures how long a person waits: for the first character of a reply, and for their own keys in a
// long document while a reply streams in.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { prompt } from '../documents.mjs';
import { percentile, typeAndMeasure } from '../frames.mjs';
import { scenario } from '../harness.mjs';

const limitMs = 500;
const rounds = 5;

/** Returns the time that the agent itself needs from its start to the first text. */
async function agentAlone(program, thinkMs) {
  const began = performance.now();
  const child = spawn(
    program,
    ['--deltas', '60', '--interval-ms', '5', '--think-ms', `${thinkMs}`],
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  child.stdin.write(
    '{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Hello?"}]}}\n',
  );
  for await (const line of createInterface({ input: child.stdout }))
    if (line.includes('text_delta')) break;
  child.kill();
  return performance.now() - began;
}

/** Returns the times of the next key and of the frame in which the page shows the text. */
function watchFirstCharacter(page) {
  return page.evaluate(() => {
    window.firstCharacter = new Promise((resolve) => {
      const now = () => performance.timeOrigin + performance.now();
      let pressed = 0;
      window.addEventListener('keydown', () => (pressed ||= now()), { capture: true });
      const look = () => {
        const shown = document
          .querySelector('.editor-group-container.active .view-lines')
          ?.textContent.includes('w0');
        if (shown && pressed) resolve({ pressed, shown: now() });
        else requestAnimationFrame(look);
      };
      look();
    });
  });
}

const median = (values) => percentile(values, 0.5);
const list = (values) => values.map((value) => value.toFixed(0)).join(', ');

async function firstCharacter({ workbench, agent, note }, name, thinkMs) {
  const { page } = workbench;
  const alone = [];
  const times = [];
  const texts = { frame: [], text: [] };
  for (let round = 0; round < rounds; ++round) {
    alone.push(await agentAlone(agent, thinkMs));
    const document = await workbench.open(`first-${name}-${round}.md`, prompt(name));
    await watchFirstCharacter(page);
    await page.keyboard.press('Control+Enter');
    const { pressed, shown } = await page.evaluate(() => window.firstCharacter);
    times.push(shown - pressed);
    await workbench.untilFinished(document);
    const changes = await document.changes();
    const saying = (piece) =>
      changes.find(({ pieces }) => pieces.some(({ text }) => text.includes(piece)));
    texts.frame.push(saying('## Assistant').time - pressed);
    texts.text.push(saying('w0').time - pressed);
  }
  const over = median(times) - median(alone);
  note(
    `median ${median(times).toFixed(0)} ms (${list(times)}); the agent alone ${median(alone).toFixed(0)} ms; over it ${over.toFixed(0)} ms`,
  );
  note(
    `in the document: its heading after ${median(texts.frame).toFixed(0)} ms (${list(texts.frame)}), its first text after ${median(texts.text).toFixed(0)} ms (${list(texts.text)})`,
  );
  assert.ok(
    over < limitMs,
    `the target is 50 ms on an idle machine; beyond ${limitMs} ms it is a defect on any`,
  );
}

scenario(
  'speed: from the key to the first character on the screen, with an agent that answers at once',
  (context) => firstCharacter(context, 'brief', 0),
);
scenario(
  'speed: from the key to the first character on the screen, with an agent that thinks first',
  (context) => firstCharacter(context, 'thinking', 300),
);

scenario('speed: typing in 25,000 lines, with and without a reply', async ({ workbench, note }) => {
  const { page } = workbench;
  const lines = Array.from(
    { length: 25_000 },
    (_, index) => `Line ${index} of a document that has been written in for years.`,
  ).join('\n');
  const document = await workbench.open('long.md', prompt('slow', `${lines}\n\nHello?`));
  const keys = 'abcdefghij'.repeat(6);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n\nidle:');
  const idle = await typeAndMeasure(page, 'idle:', keys, 60);
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('w20 '), 'the beginning of the reply');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('busy:');
  const busy = await typeAndMeasure(page, 'busy:', keys, 60);
  await workbench.command('agentDoc.stop');
  await workbench.untilFinished(document);
  const p95 = (values) => percentile(values, 0.95);
  const middle = (values) => percentile(values, 0.5);
  note(
    `p50 ${middle(idle).toFixed(1)} and ${middle(busy).toFixed(1)} ms, p95 ${p95(idle).toFixed(1)} and ${p95(busy).toFixed(1)} ms (${(p95(busy) - p95(idle)).toFixed(1)} apart)`,
  );
  assert.ok(
    p95(busy) - p95(idle) < limitMs,
    `the target is 16 ms on an idle machine; beyond ${limitMs} ms it is a defect on any`,
  );
});
