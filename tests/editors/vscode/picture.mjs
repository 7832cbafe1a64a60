// What it is: the picture of the README: a reply in mid-stream, and somebody typing below it. What it is not: a test.
import { prompt } from './documents.mjs';

export async function takePicture(workbench, file) {
  const { page } = workbench;
  await workbench.command('workbench.action.closeSidebar');
  await page.setViewportSize({ width: 900, height: 700 });
  const text = prompt('tour', 'How do I stop you, and what stays?');
  const document = await workbench.open('parser.md', text, text.trimEnd().length);
  await page.keyboard.press('Control+Enter');
  await document.untilText((now) => now.includes('| terminal |'), 'the beginning of the reply');
  await page.keyboard.press('Control+End');
  await page.keyboard.type('And can I write the next question while you');
  await page.screenshot({ path: file });
}
