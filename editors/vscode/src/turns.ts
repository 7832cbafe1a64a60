// What it is: the newest state of every document's turn, as the server told it.
// What it is not: a judgement about it; who shows it listens.
import * as vscode from 'vscode';

import { isRunning, type Turn } from './protocol';

export class Turns implements vscode.Disposable {
  private readonly byDocument = new Map<string, Turn>();
  private readonly receivedAt = new Map<string, number>();
  private readonly changed = new vscode.EventEmitter<Turn>();

  /**

   * A turn that the server told of, after it is stored; and, when the server has gone, each that
   * was running.

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

  /** How long the turn has been going on, or took. */
  elapsedMs(turn: Turn): number {
    const since = this.receivedAt.get(keyOf(vscode.Uri.parse(turn.uri))) ?? Date.now();
    return turn.elapsedMs + (isRunning(turn) ? Date.now() - since : 0);
  }

  running(): Turn[] {
    return [...this.byDocument.values()].filter(isRunning);
  }

  /** The server has gone, and with it every turn. Returns those that were running. */
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
