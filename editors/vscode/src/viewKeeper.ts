// Keeps the cursors and the view in place around one edit. The line of the cursor stays at its row
// of the screen; if it is not visible, the first visible line does. Wrapped lines count with their
// rows, as far as the wrap column is known. follow.ts shows the growing end to a person who follows
// it.
//
// Only the focused editor needs this: VS Code keeps the others in place.
import * as vscode from 'vscode';

import type { Look } from './follow';
import { afterInsertion, countLineEnds, type Piece } from './textPlace';

interface Cursors {
  readonly editor: vscode.TextEditor;
  readonly offsets: readonly (readonly [anchor: number, active: number])[];
}

export class ViewKeeper {
  private readonly document: vscode.TextDocument;
  private readonly start: vscode.Position;
  private readonly lines: number;
  private readonly rows: number;
  private readonly pushed: readonly Cursors[];
  private readonly first: vscode.Position | undefined;
  private readonly lastLine: number;
  private readonly cursor: vscode.Position;
  private scrolled = false;

  constructor(
    private readonly editor: vscode.TextEditor,
    editors: readonly vscode.TextEditor[],
    private readonly piece: Piece,
    private readonly look: Look,
  ) {
    this.document = editor.document;
    this.start = this.document.positionAt(piece.begin);
    this.lines =
      countLineEnds(piece.text) - (this.document.positionAt(piece.end).line - this.start.line);
    this.rows = addedRows(this.document, piece, look.rowsOf);
    this.first = editor.visibleRanges[0]?.start;
    this.lastLine =
      (editor.visibleRanges[editor.visibleRanges.length - 1]?.end.line ?? -1) + look.linesOn();
    this.cursor = editor.selection.active;
    this.pushed =
      piece.begin === piece.end
        ? editors.filter((one) => this.isPushed(one)).map((one) => this.cursorsOf(one))
        : [];
  }

  /** Scrolls before the edit, or after it if the person typed nothing meanwhile. */
  scrollAlong(): void {
    if (this.isMoved()) this.scroll(this.rows);
  }

  /**
   * Scrolls after an edit during which the person typed. A key shows the cursor. If the edit pushed
   * the cursor below the window, the key has already scrolled that far. If the cursor was out of
   * sight before, the person is elsewhere now.
   */
  scrollAlongBesideAKey(): void {
    const { first, lastLine, cursor, lines, rows } = this;
    if (
      !this.isMoved() ||
      !first ||
      cursor.isBefore(first) ||
      cursor.line > lastLine ||
      !this.look.atCursor
    )
      return;
    const pushed = cursor.isAfter(this.start) ? Math.max(0, cursor.line + lines - lastLine) : 0;
    this.scroll(rows - Math.min(Math.max(rows, 0), pushed));
  }

  /** Called when the edit was applied. */
  landed(): void {
    if (this.scrolled) this.look.scrolledOn(this.lines);
  }

  /** Undoes the scrolling when the edit was refused. */
  scrollBack(): void {
    if (!this.scrolled) return;
    this.look.scrolledBack(Math.abs(this.rows));
    this.scroll(-this.rows);
  }

  /** Restores the cursors when the edit was applied and the text has not changed since. */
  putCursorsBack(): void {
    const at = (offset: number): vscode.Position => this.document.positionAt(offset);
    for (const { editor, offsets } of this.pushed)
      editor.selections = offsets.map(
        ([anchor, active]) => new vscode.Selection(at(anchor), at(active)),
      );
  }

  /** Whether the edit moves what the person looks at. */
  private isMoved(): boolean {
    const { first, lastLine, cursor, editor } = this;
    if (this.rows === 0 || !first || editor !== vscode.window.activeTextEditor) return false;
    if (
      !vscode.workspace.getConfiguration('agentDoc', this.document.uri).get('keepLineInPlace', true)
    )
      return false;
    const aboveWindow = this.start.isBefore(first);
    const aboveCursor = this.look.atCursor && cursor.isAfter(this.start) && cursor.line <= lastLine;
    return aboveWindow || aboveCursor;
  }

  /** Scrolls by rows of the screen, without moving the cursor. */
  private scroll(lines: number): void {
    if (lines === 0) return;
    this.scrolled = true;
    const to = lines > 0 ? 'down' : 'up';
    void vscode.commands.executeCommand('editorScroll', {
      to,
      by: 'wrappedLine',
      value: Math.abs(lines),
      revealCursor: false,
    });
  }

  private isPushed(editor: vscode.TextEditor): boolean {
    return editor.selections.some(
      (selection) => selection.start.isEqual(this.start) || selection.end.isEqual(this.start),
    );
  }

  private cursorsOf(editor: vscode.TextEditor): Cursors {
    const moved = (position: vscode.Position): number =>
      afterInsertion(this.document.offsetAt(position), this.piece);
    return {
      editor,
      offsets: editor.selections.map(
        ({ anchor, active }) => [moved(anchor), moved(active)] as const,
      ),
    };
  }
}

/** Returns how many rows of the screen the piece adds. */
function addedRows(
  document: vscode.TextDocument,
  piece: Piece,
  rowsOf: (line: string) => number,
): number {
  const start = document.positionAt(piece.begin);
  const end = document.positionAt(piece.end);
  const before = Array.from(
    { length: end.line - start.line + 1 },
    (_, index) => document.lineAt(start.line + index).text,
  );
  const head = document.lineAt(start.line).text.slice(0, start.character);
  const tail = document.lineAt(end.line).text.slice(end.character);
  const after = `${head}${piece.text}${tail}`.split(/\r\n|\n/);
  const rows = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + rowsOf(line), 0);
  return rows(after) - rows(before);
}
