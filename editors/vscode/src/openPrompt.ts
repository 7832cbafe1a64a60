// Finds the open prompt of a document: the text below the last `## User`, which a run sends. Also
// keeps its end from the moment when a run was requested: text typed later belongs to the next
// prompt. The server decides what is sent.
import * as vscode from 'vscode';

const turnHeading = /^## (User|Assistant)(?: \(HEAD\))?\s*$/;

interface Known {
  readonly version: number;
  readonly line: number;
}
const known = new WeakMap<vscode.TextDocument, Known>();

/** Returns the first line of the open prompt, or -1 if the document ends with a reply. */
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

/** Whether all cursors are in the open prompt. */
export function isInOpenPrompt(
  document: vscode.TextDocument,
  selections: readonly vscode.Selection[],
): boolean {
  const first = firstLineOf(document);
  return first >= 0 && selections.every((selection) => selection.start.line >= first);
}

/** Whether only white space comes after `position`. */
export function isAtEnd(document: vscode.TextDocument, position: vscode.Position): boolean {
  if (document.lineAt(position.line).text.slice(position.character).trim() !== '') return false;
  for (let line = position.line + 1; line < document.lineCount; ++line) {
    if (!document.lineAt(line).isEmptyOrWhitespace) return false;
  }
  return true;
}

/** The end of the prompt at a moment; it stays in place while text is added after it. */
export class PromptEnd implements vscode.Disposable {
  private offset: number;
  private readonly subscription: vscode.Disposable;

  /** `before` is the offset at which text of the next prompt already begins. */
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
