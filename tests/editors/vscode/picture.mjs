// Makes the pictures: that of the README, a streaming reply with somebody typing below it, and the
// three of the walkthrough.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

import { prompt } from './documents.mjs';

async function streaming(workbench, name, typed = '') {
  const { page } = workbench;
  await workbench.command('workbench.action.closeSidebar');
  await page.setViewportSize({ width: 900, height: 700 });
  const text = prompt('tour', 'How do I stop you, and what stays?');
  const document = await workbench.open(name, text, text.trimEnd().length);
  await page.keyboard.press('Control+Enter');
  // Type everything at once: on a busy machine the reply would end before the last key.
  await page.keyboard.type(typed);
  await document.untilText((now) => now.includes('| terminal |'), 'the beginning of the reply');
  return document;
}

/**
 * The agent of this workbench. It can be paused, so that the reply stays unfinished however long a
 * picture takes.
 */
function tourAgent(workbench) {
  const read = (pid, name) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
    } catch {
      return [];
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isOurs = (pid) =>
    read(pid, 'cmdline').includes('tour-agent') &&
    !read(pid, 'cmdline').includes('guard') &&
    read(pid, 'environ').includes(`HOME=${workbench.home}`);
  return pids.filter(isOurs).map(Number);
}

export async function takePicture(workbench, file) {
  const document = await streaming(
    workbench,
    'parser.md',
    'And can I write the next question while you',
  );
  await document.untilText((now) => now.includes('What came until then'), 'half of the reply');
  const agents = tourAgent(workbench);
  for (const pid of agents) process.kill(pid, 'SIGSTOP');
  try {
    await workbench.page.locator('.statusbar-item', { hasText: 'tour: writing' }).waitFor();
    await workbench.page.screenshot({ path: file });
  } finally {
    for (const pid of agents) process.kill(pid, 'SIGCONT');
  }
}

export async function takeWalkthrough(workbench, folder) {
  const { page } = workbench;
  const shot = (name, clip) =>
    page.screenshot({ path: path.join(folder, `walkthrough-${name}.png`), ...(clip && { clip }) });
  const document = await streaming(workbench, 'stop.md');
  await page.locator('.statusbar-item', { hasText: 'tour: ' }).hover();
  await page.locator('.workbench-hover', { hasText: 'Stop the reply' }).waitFor();
  await shot('stop');
  await workbench.restMouse();
  await workbench.untilAtRest(document);
  await takePicture(workbench, path.join(folder, 'walkthrough-see.png'));
  await workbench.untilAtRest(workbench.document('parser.md'));
  await workbench.open('ask.md', prompt('tour', 'What does this repository do?'));
  await workbench.palette('agent-doc: Ask Another Agent…');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'tour' }).first().waitFor();
  await shot('ask');
}
