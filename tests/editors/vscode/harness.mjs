// What it is: scenarios by name, run one after the other in one workbench, and counted. What it is not: a test framework.
import assert from 'node:assert/strict';

const scenarios = [];

/** `matrix`: only with --matrix. */
export function scenario(name, body, { matrix = false } = {}) {
  scenarios.push({ name, body, matrix });
}

export async function runScenarios(context, { filter = '', matrix = false }) {
  let passed = 0;
  let failed = 0;
  for (const { name, body, matrix: inMatrix } of scenarios) {
    if (!name.includes(filter) || (inMatrix && !matrix)) continue;
    const began = Date.now();
    const notes = [];
    try {
      await body({ ...context, note: (text) => notes.push(text) });
      passed += 1;
      console.log(`ok      ${name}  ${((Date.now() - began) / 1000).toFixed(1)} s${notes.map((note) => `\n          ${note}`).join('')}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}${notes.map((note) => `\n          ${note}`).join('')}\n${error.stack}`);
      await context.workbench.keepPicture(name);
    }
  }
  return { passed, failed };
}

/** Whole texts, byte for byte; when they differ, the first difference with what stands around it. */
export function sameText(actual, expected) {
  if (actual === expected) return;
  let at = 0;
  while (at < Math.min(actual.length, expected.length) && actual[at] === expected[at]) ++at;
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  assert.fail(`the texts differ at ${at} of ${actual.length} and ${expected.length}:\n  is     ${around(actual)}\n  wanted ${around(expected)}`);
}
