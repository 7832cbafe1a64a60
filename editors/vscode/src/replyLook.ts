// Decorates the replies with a thin line or a tint, as the setting `agentDoc.replyLook` says.
import * as vscode from 'vscode';

import { isSessionDocument } from './sessionDocument';

const lateMs = 100;
const heading = /^## (User|Assistant)(?: \(HEAD\))?\s*$/;

export class ReplyLook implements vscode.Disposable {
  private look: vscode.TextEditorDecorationType | undefined;
  private waiting: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.make();
    this.subscriptions = [
      vscode.window.onDidChangeVisibleTextEditors(() => this.update()),
      vscode.workspace.onDidChangeTextDocument(
        () => (this.waiting ??= setTimeout(() => this.update(), lateMs)),
      ),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('agentDoc.replyLook')) this.make();
      }),
    ];
  }

  private make(): void {
    this.look?.dispose();
    const how = vscode.workspace.getConfiguration('agentDoc').get<string>('replyLook', 'margin');
    this.look =
      how === 'none'
        ? undefined
        : vscode.window.createTextEditorDecorationType({
            isWholeLine: true,
            ...(how === 'tint' ? tint : margin),
          });
    this.update();
  }

  private update(): void {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    if (!this.look) return;
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.languageId === 'markdown')
        editor.setDecorations(
          this.look,
          isSessionDocument(editor.document) ? repliesIn(editor.document) : [],
        );
    }
  }

  dispose(): void {
    clearTimeout(this.waiting);
    this.look?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

const tint = { backgroundColor: new vscode.ThemeColor('agentDoc.replyBackground') };
const margin = {
  borderStyle: 'solid',
  borderWidth: '0 0 0 2px',
  borderColor: new vscode.ThemeColor('agentDoc.replyMargin'),
};

/** Returns the text below each `## Assistant`, without the blank lines around it. */
export function repliesIn(document: vscode.TextDocument): vscode.Range[] {
  const ranges: vscode.Range[] = [];
  let begin = -1;
  const close = (end: number): void => {
    if (begin < 0) return;
    let [first, last] = [begin, end - 1];
    while (first <= last && document.lineAt(first).isEmptyOrWhitespace) ++first;
    while (last >= first && document.lineAt(last).isEmptyOrWhitespace) --last;
    if (first <= last) ranges.push(new vscode.Range(first, 0, last, 0));
  };
  for (let line = 0; line < document.lineCount; ++line) {
    const speaker = heading.exec(document.lineAt(line).text)?.[1];
    if (speaker === undefined) continue;
    close(line);
    begin = speaker === 'Assistant' ? line + 1 : -1;
  }
  close(document.lineCount);
  return ranges;
}
