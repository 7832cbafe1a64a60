// Sets the context keys for the `when` clauses of package.json. They describe the active editor's
// document.
import * as vscode from 'vscode';

import { commands, isRunning } from './protocol';
import { isInOpenPrompt } from './openPrompt';
import { isSessionDocument } from './sessionDocument';
import type { Turns } from './turns';

export class ContextKeys implements vscode.Disposable {
  private readonly values = new Map<string, boolean>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly turns: Turns) {
    this.subscriptions = [
      turns.onDidChange(() => this.update()),
      vscode.window.onDidChangeActiveTextEditor(() => this.update()),
      vscode.window.onDidChangeTextEditorSelection(() => this.updateInPrompt()),
      vscode.workspace.onDidOpenTextDocument(() => this.update()),
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === vscode.window.activeTextEditor?.document) this.update();
      }),
    ];
    this.update();
  }

  /**
   * Says that the extension is up. From now on the other keys decide what the key of Run means;
   * until then the window notes where it was pressed.
   */
  setUp(): void {
    this.set('up', true);
  }

  /** Sets what the running server can do. */
  setCommands(announced: readonly string[]): void {
    this.set('canRetry', announced.includes(commands.retry));
  }

  private update(): void {
    const document = vscode.window.activeTextEditor?.document;
    const turn = document && this.turns.of(document.uri);
    this.set('sessionDocument', document !== undefined && isSessionDocument(document));
    this.updateInPrompt();
    this.set('running', turn !== undefined && isRunning(turn));
    this.set('waiting', turn?.permission !== undefined);
    this.set('queued', turn?.queued === true);
    this.set('paused', turn?.canContinue === true);
  }

  private updateInPrompt(): void {
    const editor = vscode.window.activeTextEditor;
    this.set(
      'inPrompt',
      editor !== undefined &&
        isSessionDocument(editor.document) &&
        isInOpenPrompt(editor.document, editor.selections),
    );
  }

  private set(name: string, value: boolean): void {
    if (this.values.get(name) === value) return;
    this.values.set(name, value);
    void vscode.commands.executeCommand('setContext', `agentDoc.${name}`, value);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
