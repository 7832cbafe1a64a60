// What it is: keeps, around one edit, the cursors where they were and the line that the person looks at where it was on the screen: the line of the
// cursor when it is in sight, else the first line in sight. What it is not: follow mode. It never moves a cursor elsewhere and never takes the focus.
import * as vscode from 'vscode';

import { afterInsertion, countLineEnds, type Piece } from './textPlace';

/** What an editor showed before the edit. */
interface View {
  readonly editor: vscode.TextEditor;
  readonly selections: readonly vscode.Selection[];
  readonly first: vscode.Position | undefined;
  readonly last: vscode.Position | undefined;
}

export class ViewKeeper {
  private readonly document: vscode.TextDocument;
  private readonly start: vscode.Position;
  private readonly lines: number;
  private readonly lineCount: number;
  private readonly views: readonly View[];
  private readonly pushed: readonly { editor: vscode.TextEditor; offsets: readonly (readonly [number, number])[] }[];

  constructor(editors: readonly vscode.TextEditor[], private readonly piece: Piece) {
    const [editor] = editors;
    if (!editor) throw new Error('an edit through no editor');
    this.document = editor.document;
    this.start = this.document.positionAt(piece.begin);
    this.lines = countLineEnds(piece.text) - (this.document.positionAt(piece.end).line - this.start.line);
    this.lineCount = this.document.lineCount;
    this.views = editors.map(viewOf);
    this.pushed = piece.begin === piece.end ? this.views.filter((view) => this.isPushed(view)).map((view) => this.offsetsOf(view)) : [];
  }

  /** `version`: the document's, if nobody else has changed it since. */
  restore(document: vscode.TextDocument, version: number): void {
    if (document.version === version) this.putCursorsBack();
    if (!vscode.workspace.getConfiguration('agentDoc', document.uri).get<boolean>('keepLineInPlace', true)) return;
    for (const view of this.views) this.keepLine(view);
  }

  private putCursorsBack(): void {
    for (const { editor, offsets } of this.pushed) {
      editor.selections = offsets.map(([anchor, active]) => new vscode.Selection(this.document.positionAt(anchor), this.document.positionAt(active)));
    }
  }

  private keepLine(view: View): void {
    const { editor, first, last } = view;
    if (!first || !last) return;
    if (this.start.isBefore(first)) {
      const line = first.line + this.lines;
      if (this.lines !== 0) editor.revealRange(new vscode.Range(line, first.character, line, first.character), vscode.TextEditorRevealType.AtTop);
      return;
    }
    const cursor = view.selections[0]?.active;
    const looksAtCursor = cursor !== undefined && cursor.isAfter(this.start) && cursor.isBeforeOrEqual(last);
    if (!looksAtCursor || editor !== vscode.window.activeTextEditor) return;
    if (last.line + 1 < this.lineCount) {
      // The text goes on below the window: what was the last line in sight shall be it again, however the new text was wrapped.
      const line = last.line + this.lines;
      editor.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.Default);
    } else if (this.lines !== 0) {
      const to = this.lines > 0 ? 'down' : 'up';
      void vscode.commands.executeCommand('editorScroll', { to, by: 'wrappedLine', value: Math.abs(this.lines), revealCursor: false });
    }
  }

  private isPushed(view: View): boolean {
    return view.selections.some((selection) => selection.start.isEqual(this.start) || selection.end.isEqual(this.start));
  }

  private offsetsOf(view: View): { editor: vscode.TextEditor; offsets: (readonly [number, number])[] } {
    const moved = (position: vscode.Position): number => afterInsertion(this.document.offsetAt(position), this.piece);
    return { editor: view.editor, offsets: view.selections.map(({ anchor, active }) => [moved(anchor), moved(active)] as const) };
  }
}

function viewOf(editor: vscode.TextEditor): View {
  const { selections, visibleRanges } = editor;
  return { editor, selections, first: visibleRanges[0]?.start, last: visibleRanges[visibleRanges.length - 1]?.end };
}
