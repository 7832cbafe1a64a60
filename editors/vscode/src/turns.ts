// Keeps the last `agentDoc/turn` of every document.
import * as vscode from 'vscode';

import { isRunning, type Turn } from './protocol';

export class Turns implements vscode.Disposable {
  private readonly byDocument = new Map<string, Turn>();
  private readonly receivedAt = new Map<string, number>();
  private readonly changed = new vscode.EventEmitter<Turn>();

  /**
   * Fires with each turn that the server reports, after it is stored, and with each running turn
   * when the server has ended.
   */
  readonly onDidChange = this.changed.event;

  set(turn: Turn): void {
    const key = keyOf(vscode.Uri.parse(turn.uri));
    this.byDocument.set(key, turn);
    this.receivedAt.set(key, Date.now());
    this.changed.fire(turn);
  }

  of(uri: vscode.Uri): Turn | undefined {
    return this.byDocument.get(keyOf(uri));
  }

  /** Returns how long the turn has been running, or took. */
  elapsedMs(turn: Turn): number {
    const since = this.receivedAt.get(keyOf(vscode.Uri.parse(turn.uri))) ?? Date.now();
    return turn.elapsedMs + (isRunning(turn) ? Date.now() - since : 0);
  }

  running(): Turn[] {
    return [...this.byDocument.values()].filter(isRunning);
  }

  /** Marks the running turns as interrupted after the server has ended, and returns them. */
  interruptAll(): Turn[] {
    const cut = this.running();
    this.byDocument.clear();
    for (const { permission: _, ...turn } of cut)
      this.set({
        ...turn,
        state: 'interrupted',
        status: '',
        replyLanded: true,
        canContinue: false,
      });
    return cut;
  }

  dispose(): void {
    this.changed.dispose();
  }
}

function keyOf(uri: vscode.Uri): string {
  return uri.toString();
}
