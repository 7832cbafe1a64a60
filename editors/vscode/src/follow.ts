// Decides whether the growing end of a document stays in view: the cursor is at the end, where the
// next question is written, and the person has not scrolled away. Also learns how the window wraps
// lines. viewKeeper.ts keeps a line in its row.
import * as vscode from 'vscode';

import { isAtEnd } from './openPrompt';
import { WrapColumn } from './wrap';

/** The sum of what was added within the last second. */
class SumOfLate {
  private added: { readonly at: number; readonly count: number }[] = [];

  get sum(): number {
    const since = Date.now() - SumOfLate.milliseconds;
    this.added = this.added.filter(({ at }) => at > since);
    return this.added.reduce((sum, { count }) => sum + count, 0);
  }

  add(count: number): void {
    this.added.push({ at: Date.now(), count });
  }

  clear(): void {
    this.added = [];
  }

  private static readonly milliseconds = 1000;
}

interface Sight {
  first: vscode.Position;
  lines: number;
  /** The position to which the person has scrolled. */
  away: vscode.Position | undefined;
  /** The number of requests to show the end that the window has not carried out yet. */
  asked: number;
  /**
   * Lines scrolled down along with an edit, and rows scrolled up because it was refused. VS Code
   * reports late to an extension what is in sight. Until then, the cursor at the end of a growing
   * text seems to be below the window, and scrolling up looks like a person's.
   */
  readonly on: SumOfLate;
  readonly back: SumOfLate;
  readonly wrap: WrapColumn;
}

/** What a person sees in a window. */
export interface Look {
  /** Whether the person has not scrolled away from the cursor. */
  readonly atCursor: boolean;
  /** Returns the number of rows that a line takes. */
  readonly rowsOf: (line: string) => number;
  /** Returns by how many lines the window may be further down than VS Code says. */
  readonly linesOn: () => number;
  readonly scrolledOn: (lines: number) => void;
  readonly scrolledBack: (rows: number) => void;
}

export class Follow implements vscode.Disposable {
  private readonly sights = new WeakMap<vscode.TextEditor, Sight>();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) =>
        this.onSeen(textEditor, visibleRanges),
      ),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        const sight = this.sights.get(textEditor);
        // Text that is inserted above a cursor moves it, too: without a kind.
        if (sight && kind !== undefined) sight.away = undefined;
      }),
    ];
  }

  /** Whether the text that grows at the end of the document has to stay in view. */
  isFollowing(editor: vscode.TextEditor): boolean {
    if (editor !== vscode.window.activeTextEditor || this.sights.get(editor)?.away) return false;
    if (!vscode.workspace.getConfiguration('agentDoc', editor.document.uri).get('follow', true))
      return false;
    return isAtEnd(editor.document, editor.selection.active);
  }

  /**
   * Shows the end of the text. The window knows where it is by then: the person may have pasted
   * something there. Until the window answers, scrolling does not count as the person's.
   */
  showEnd(editor: vscode.TextEditor): void {
    const sight = this.sightOf(editor);
    sight.asked += 1;
    const done = (): void => void (sight.asked -= 1);
    void vscode.commands
      .executeCommand('revealLine', { lineNumber: Number.MAX_SAFE_INTEGER })
      .then(done, done);
  }

  lookInto(editor: vscode.TextEditor): Look {
    const { away, wrap, on, back } = this.sightOf(editor);
    const isWrapped =
      vscode.workspace.getConfiguration('editor', editor.document).get('wordWrap') !== 'off';
    return {
      atCursor: away === undefined,
      rowsOf: (line) => (isWrapped ? wrap.rows(line) : 1),
      linesOn: () => on.sum,
      scrolledOn: (lines) => on.add(Math.max(0, lines)),
      scrolledBack: (rows) => back.add(rows),
    };
  }

  private sightOf(editor: vscode.TextEditor): Sight {
    let sight = this.sights.get(editor);
    if (!sight) {
      const first = editor.visibleRanges[0]?.start ?? new vscode.Position(0, 0);
      const [on, back] = [new SumOfLate(), new SumOfLate()];
      this.sights.set(
        editor,
        (sight = { first, away: undefined, asked: 0, lines: 0, on, back, wrap: new WrapColumn() }),
      );
    }
    return sight;
  }

  /**
   * Notes the visible lines. Text grows below, so an earlier first line means that a person has
   * scrolled up or that text was removed.
   */
  private onSeen(editor: vscode.TextEditor, ranges: readonly vscode.Range[]): void {
    const [first, last] = [ranges[0], ranges[ranges.length - 1]];
    if (
      !first ||
      !last ||
      editor.document.uri.scheme !== 'file' ||
      editor.document.languageId !== 'markdown'
    )
      return;
    const sight = this.sightOf(editor);
    const seesEnd = isAtEnd(editor.document, editor.document.validatePosition(last.end));
    const isDown = first.start.isAfter(sight.first);
    if (isDown && seesEnd && sight.away && sight.asked > 0)
      this.scrollBack(first.start.line - sight.away.line);
    else if (isDown && seesEnd) sight.away = undefined;
    else if (first.start.isBefore(sight.first) && editor.document.lineCount >= sight.lines)
      this.onSeenUp(sight, first.start);
    sight.first = first.start;
    sight.lines = editor.document.lineCount;
    for (const at of [first.start, last.end]) {
      if (at.line < editor.document.lineCount)
        sight.wrap.learn({ line: editor.document.lineAt(at.line).text, at: at.character });
    }
  }

  /** Handles scrolling up, by a person or because an edit was refused. */
  private onSeenUp(sight: Sight, to: vscode.Position): void {
    if (sight.first.line - to.line <= sight.back.sum) return sight.back.clear();
    sight.away = to;
    sight.on.clear();
  }

  /** Scrolls up again, after edits under way have undone the person's scrolling. */
  private scrollBack(lines: number): void {
    if (lines > 0)
      void vscode.commands.executeCommand('editorScroll', {
        to: 'up',
        by: 'line',
        value: lines,
        revealCursor: false,
      });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
