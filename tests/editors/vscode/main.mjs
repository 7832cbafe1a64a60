// Runs the tests of the extension in a real VS Code; see `run`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { runScenarios } from './harness.mjs';
import { takePicture, takeWalkthrough } from './picture.mjs';
import { Workbench } from './workbench.mjs';

import './scenarios/pure.mjs';
import './scenarios/keys.mjs';
import './scenarios/streaming.mjs';
import './scenarios/undo.mjs';
import './scenarios/control.mjs';
import './scenarios/follow.mjs';
import './scenarios/view.mjs';
import './scenarios/speed.mjs';
import './scenarios/door.mjs';
import './scenarios/restart.mjs';

const { values: options } = parseArgs({
  options: {
    prefix: { type: 'string' },
    vsix: { type: 'string' },
    probe: { type: 'string' },
    agent: { type: 'string' },
    filter: { type: 'string', default: '' },
    matrix: { type: 'boolean', default: false },
    walkthrough: { type: 'string', default: '' },
    picture: { type: 'string', default: '' },
    pictures: { type: 'string', default: '' },
  },
});

function agent(name, deltas, intervalMs, thinkMs = 0) {
  const args = ['--deltas', deltas, '--interval-ms', intervalMs, '--think-ms', thinkMs].map(
    (arg) => `"${arg}"`,
  );
  return `[agents.${name}]\ndialect = "claude"\ncommand = "${options.agent}"\nargs = [${args.join(', ')}]\n`;
}

/** The sessions listed by a real agent. */
const recording = path.join(
  import.meta.dirname,
  '../../transcripts/acp/opencode-session-list.ndjson',
);
/** An agent that wants to write a file of 40 lines; the second argument is what it heard. */
function writer(home) {
  const lines = Array.from({ length: 40 }, (_, row) => `line ${row + 1}\n`).join('');
  const toolCall = {
    toolCallId: 't1',
    title: 'Write new.txt',
    kind: 'edit',
    content: [{ type: 'diff', path: 'new.txt', newText: lines }],
  };
  const choices = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
  const script = {
    initialize: [{ result: { protocolVersion: 1, agentCapabilities: {} } }],
    'session/new': [{ result: { sessionId: 's1', modes } }],
    'session/prompt': [
      {
        do: [{ ask: { toolCall, options: choices } }, { say: 'Done.' }],
        result: { stopReason: 'end_turn' },
      },
    ],
  };
  const file = path.join(home, 'writer.json');
  writeFileSync(file, JSON.stringify(script));
  const program = path.join(path.dirname(options.agent), 'scripted_acp_agent');
  const args = `["${file}", "${file}.heard"]`;
  return `[agents.writer]\ndialect = "acp"\ncommand = "${program}"\nargs = ${args}\n`;
}

const home = mkdtempSync(path.join(os.tmpdir(), 'agent-doc-vscode-'));
const config = [
  agent('brief', 60, 5),
  agent('thinking', 60, 5, 300),
  agent('stream', 1200, 5),
  agent('calm', 400, 20),
  agent('slow', 20000, 20),
  agent('tall', 9600, 1),
  `[agents.keeper]\ndialect = "opencode"\ncommand = "${path.join(path.dirname(options.agent), 'rpc_replay_agent')}"\nargs = ["${recording}"]\n`,
  writer(home),
  '[agents.absent]\ndialect = "claude"\ncommand = "/no/such/agent"\n',
].join('\n');

const workbench = new Workbench({
  prefix: options.prefix,
  home,
  extensions: [options.vsix, options.probe],
  config: options.walkthrough ? '' : config,
  pictures: options.pictures,
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void workbench.stop().finally(() => process.exit(1)));
let counts = { passed: 0, failed: 1 };
try {
  await workbench.start();
  if (options.picture)
    counts = { passed: 1, failed: 0, done: await takePicture(workbench, options.picture) };
  else if (options.walkthrough)
    counts = { passed: 1, failed: 0, done: await takeWalkthrough(workbench, options.walkthrough) };
  else counts = await runScenarios({ workbench, agent: options.agent }, options);
} catch (error) {
  console.log(`FAILED  the editor did not start\n${error.stack}`);
} finally {
  await workbench.stop();
  rmSync(home, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
