// What it is: where the open prompt of a document is: the text that a run sends, below the last `##
// User`. And where it ended when a run was asked for: what is typed from then on is the next
// prompt's.
// What it is not: the judgement what is sent; the server makes it.
import * as vscode from 'vscode';

const turnHeading = /^## (User|Assistant)(?: \(HEAD\))?\s*$/;

interface Known {
  readonly version: number;
  readonly line: number;
}
const known = new WeakMap<vscode.TextDocument, Known>();

/** The first line of the open prompt, or -1 when a reply is the last turn. */
function firstLineOf(document: vscode.TextDocument): number {
  const before = known.get(document);
  if (before?.version === document.version) return before.line;
  let line = 0;
  for (let at = document.lineCount - 1; at >= 0; --at) {
    const speaker = turnHeading.exec(document.lineAt(at).text)?.[1];
    if (speaker === undefined) continue;
    line = speaker === 'User' ? at + 1 : -1;
    break;
  }
  known.set(document, { version: document.version, line });
  return line;
}

/** All cursors are where the next question is written. */
export function isInOpenPrompt(
  document: vscode.TextDocument,
  selections: readonly vscode.Selection[],
): boolean {
  const first = firstLineOf(document);
  return first >= 0 && selections.every((selection) => selection.start.line >= first);
}

/** Nothing but white space is behind `position`. */
export function isAtEnd(document: vscode.TextDocument, position: vscode.Position): boolean {
  if (document.lineAt(position.line).text.slice(position.character).trim() !== '') return false;
  for (let line = position.line + 1; line < document.lineCount; ++line) {
    if (!document.lineAt(line).isEmptyOrWhitespace) return false;
  }
  return true;
}

/** The end of what is written so far, held while text comes behind it. */
export class PromptEnd implements vscode.Disposable {
  private offset: number;
  private readonly subscription: vscode.Disposable;

  /** `before`: an offset, where what is typed already begins. */
  constructor(
    private readonly document: vscode.TextDocument,
    before?: number,
  ) {
    this.offset = document.getText().slice(0, before).trimEnd().length;
    this.subscription = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== this.document) return;
      for (const { rangeOffset, rangeLength, text } of event.contentChanges) {
        if (rangeOffset < this.offset)
          this.offset = Math.max(rangeOffset, this.offset - rangeLength) + text.length;
      }
    });
  }

  get position(): vscode.Position {
    return this.document.positionAt(this.offset);
  }

  dispose(): void {
    this.subscription.dispose();
  }
}
