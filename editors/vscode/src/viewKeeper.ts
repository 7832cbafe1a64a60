// What it is: keeps, around one edit, the cursors where they were, and what the person looks at where it was on the screen: the line of the cursor when it is
// in sight, else the first line in sight. What it is not: follow mode. It never moves a cursor elsewhere and never takes the focus.
//
// Only the focused editor needs it: others on the same document are kept in place by VS Code.
import * as vscode from 'vscode';

import { afterInsertion, countLineEnds, type Piece } from './textPlace';

interface Cursors {
  readonly editor: vscode.TextEditor;
  readonly offsets: readonly (readonly [anchor: number, active: number])[];
}

export class ViewKeeper {
  private readonly document: vscode.TextDocument;
  private readonly start: vscode.Position;
  private readonly lines: number;
  private readonly pushed: readonly Cursors[];
  private readonly first: vscode.Position | undefined;
  private readonly last: vscode.Position | undefined;
  private readonly cursor: vscode.Position;
  private scrolled = false;

  constructor(
    private readonly editor: vscode.TextEditor,
    editors: readonly vscode.TextEditor[],
    private readonly piece: Piece,
  ) {
    this.document = editor.document;
    this.start = this.document.positionAt(piece.begin);
    this.lines = countLineEnds(piece.text) - (this.document.positionAt(piece.end).line - this.start.line);
    this.first = editor.visibleRanges[0]?.start;
    this.last = editor.visibleRanges[editor.visibleRanges.length - 1]?.end;
    this.cursor = editor.selection.active;
    this.pushed = piece.begin === piece.end ? editors.filter((one) => this.isPushed(one)).map((one) => this.cursorsOf(one)) : [];
  }

  /** Before or after the edit. */
  scrollAlong(): void {
    const { first, last, cursor, editor } = this;
    if (this.lines === 0 || !first || !last || editor !== vscode.window.activeTextEditor) return;
    if (!vscode.workspace.getConfiguration('agentDoc', this.document.uri).get('keepLineInPlace', true)) return;
    const aboveWindow = this.start.isBefore(first);
    const aboveCursor = cursor.isAfter(this.start) && cursor.isBeforeOrEqual(last);
    if (!aboveWindow && !aboveCursor) return;
    scroll(this.lines);
    this.scrolled = true;
  }

  /** When the edit was refused. */
  scrollBack(): void {
    if (this.scrolled) scroll(-this.lines);
  }

  /** When the edit has landed, and nobody has changed the text since. */
  putCursorsBack(): void {
    const at = (offset: number): vscode.Position => this.document.positionAt(offset);
    for (const { editor, offsets } of this.pushed) editor.selections = offsets.map(([anchor, active]) => new vscode.Selection(at(anchor), at(active)));
  }

  private isPushed(editor: vscode.TextEditor): boolean {
    return editor.selections.some((selection) => selection.start.isEqual(this.start) || selection.end.isEqual(this.start));
  }

  private cursorsOf(editor: vscode.TextEditor): Cursors {
    const moved = (position: vscode.Position): number => afterInsertion(this.document.offsetAt(position), this.piece);
    return { editor, offsets: editor.selections.map(({ anchor, active }) => [moved(anchor), moved(active)] as const) };
  }
}

/** By lines of the screen, without moving the cursor. */
function scroll(lines: number): void {
  const to = lines > 0 ? 'down' : 'up';
  void vscode.commands.executeCommand('editorScroll', { to, by: 'wrappedLine', value: Math.abs(lines), revealCursor: false });
}
