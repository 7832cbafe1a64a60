// Runs scenarios by name, one after the other in one workbench, and counts them.
import assert from 'node:assert/strict';

const scenarios = [];

/** `matrix`: only with --matrix. */
export function scenario(name, body, { matrix = false } = {}) {
  scenarios.push({ name, body, matrix });
}

/**
 * Runs all scenarios whose name contains `filter`. Runs failed ones a second time, in a restarted
 * workbench, and says so: on a busy machine an editor is sometimes late for its driver. A scenario
 * that fails twice has failed.
 */
export async function runScenarios(context, { filter = '', matrix = false }) {
  const chosen = scenarios.filter((one) => one.name.includes(filter) && (matrix || !one.matrix));
  const again = [];
  for (const one of chosen) if (!(await passes(context, one))) again.push(one);
  if (again.length === 0) return { passed: chosen.length, failed: 0 };
  console.log(`\n== once more: ${again.length} of ${chosen.length}`);
  await context.workbench.stop();
  context.workbench.forgetLog();
  await context.workbench.start();
  let failed = 0;
  for (const one of again) if (!(await passes(context, one))) failed += 1;
  return { passed: chosen.length - failed, failed };
}

async function passes(context, { name, body }) {
  const began = Date.now();
  const notes = [];
  const print = (word, more) =>
    console.log(`${word}${name}${more}${notes.map((note) => `\n          ${note}`).join('')}`);
  try {
    await body({ ...context, note: (text) => notes.push(text) });
    print('ok      ', `  ${((Date.now() - began) / 1000).toFixed(1)} s`);
    return true;
  } catch (error) {
    print('FAILED  ', '');
    console.log(error.stack);
    await context.workbench.keepPicture(name);
    await context.workbench
      .endReplies()
      .catch((again) => console.log(`          its reply could not be ended: ${again.message}`));
    return false;
  }
}

/**
 * Compares whole texts, byte for byte; shows the first difference with the text around it.
 */
export function sameText(actual, expected) {
  if (actual === expected) return;
  let at = 0;
  while (at < Math.min(actual.length, expected.length) && actual[at] === expected[at]) ++at;
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  assert.fail(
    `the texts differ at ${at} of ${actual.length} and ${expected.length}:\n  is     ${around(actual)}\n  wanted ${around(expected)}`,
  );
}
