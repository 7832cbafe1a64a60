// Shows an item in the status bar for the active editor's document: what its agent is doing, and
// for how long. A click stops the agent, answers its question, or shows more.
import * as vscode from 'vscode';

import { commands, isRunning, type Turn } from './protocol';
import { isSessionDocument } from './sessionDocument';
import type { Turns } from './turns';

const tickMs = 1000;

interface Look {
  readonly text: string;
  readonly command: string;
  readonly hint: string;
  readonly warning?: boolean;
}

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    'agentDoc.status',
    vscode.StatusBarAlignment.Left,
    10,
  );
  private readonly subscriptions: vscode.Disposable[];
  private ticking: NodeJS.Timeout | undefined;

  constructor(private readonly turns: Turns) {
    this.item.name = 'agent-doc';
    this.subscriptions = [
      turns.onDidChange(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('agentDoc.statusBar')) this.update();
      }),
    ];
    this.update();
  }

  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const turn = document && this.turns.of(document.uri);
    this.tick(turn);
    const mode = vscode.workspace.getConfiguration('agentDoc').get<string>('statusBar', 'always');
    const busy = turn !== undefined && (isRunning(turn) || turn.canContinue);
    if (mode === 'never' || (mode === 'running' && !busy)) return this.item.hide();
    if (!turn && !(document && isSessionDocument(document))) return this.item.hide();
    this.show(turn ? lookOf(turn, this.turns.elapsedMs(turn)) : idle, turn);
  }

  private show(look: Look, turn: Turn | undefined): void {
    this.item.text = look.text;
    this.item.command = {
      command: look.command,
      title: look.hint,
      ...(turn && { arguments: [{ uri: turn.uri }] }),
    };
    this.item.tooltip = new vscode.MarkdownString(
      [look.hint, ...(turn ? details(turn) : [])].join('\n\n'),
    );
    this.item.backgroundColor = look.warning
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.item.accessibilityInformation = {
      label: `agent-doc: ${look.text.replace(/\$\([^)]*\)\s*/g, '')}. ${look.hint}`,
    };
    this.item.show();
  }

  /** Updates the item every second while the turn runs: the server does not report passing time. */
  private tick(turn: Turn | undefined): void {
    const needed = turn !== undefined && isRunning(turn);
    if (needed && !this.ticking) this.ticking = setInterval(() => this.update(), tickMs);
    if (!needed) {
      clearInterval(this.ticking);
      this.ticking = undefined;
    }
  }

  dispose(): void {
    clearInterval(this.ticking);
    vscode.Disposable.from(this.item, ...this.subscriptions).dispose();
  }
}

const idle: Look = {
  text: '$(play) agent-doc',
  command: commands.run,
  hint: 'Run: send the last prompt to the agent.',
};

function lookOf(turn: Turn, elapsedMs: number): Look {
  const time = `${Math.floor(elapsedMs / 1000)} s`;
  if (turn.permission)
    return {
      text: `$(question) ${turn.agent} asks`,
      command: commands.answer,
      hint: 'Answer the question of the agent.',
      warning: true,
    };
  if (turn.canContinue)
    return {
      text: `$(debug-pause) ${turn.agent}: paused`,
      command: commands.status,
      hint: 'Text of the reply was undone.',
      warning: true,
    };
  if (isRunning(turn))
    return {
      text: `$(debug-stop) ${turn.agent}: ${turn.phase} ${time}${turn.queued ? ' · next queued' : ''}`,
      command: commands.stop,
      hint: 'Stop the reply. The received text stays.',
    };
  if (turn.state === 'failed')
    return {
      text: `$(error) ${turn.agent}: failed`,
      command: commands.status,
      hint: turn.failure ?? 'The reply failed.',
    };
  const icon = turn.state === 'done' ? '$(check)' : '$(circle-slash)';
  return {
    text: `${icon} ${turn.agent}: ${turn.state} ${time}`,
    command: commands.status,
    hint: 'The last reply.',
  };
}

function details(turn: Turn): string[] {
  const { input, output, costMicros } = turn.usage;
  const lines = [turn.status, turn.model && `model ${turn.model}`];
  if (input + output > 0)
    lines.push(
      `${input} tokens read, ${output} written` +
        (costMicros > 0 ? `, $${(costMicros / 1e6).toFixed(4)}` : ''),
    );
  return lines
    .filter((line) => line !== '')
    .map((line) => line.replace(/[\\`*_{}[\]()#+\-.!|<>]/g, '\\$&'));
}
