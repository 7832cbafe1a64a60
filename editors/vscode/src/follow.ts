// What it is: whether the growing end of a document is to stay in view: its cursor is at the end,
// where the next question is written, and the person has not scrolled away. And what is seen of how
// the window wraps lines.
// What it is not: what keeps a line in its row (viewKeeper.ts).
import * as vscode from 'vscode';

import { isAtEnd } from './openPrompt';
import { WrapColumn } from './wrap';

/** A sum that forgets: what was added within the last second. */
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
  /** Where the person has scrolled to. */
  away: vscode.Position | undefined;
  /** How many times the end was asked to be shown, and the window has not done it yet. */
  asked: number;
  /**
   * Lines that were scrolled down along with an edit, and rows that were scrolled up because it was
   * refused. VS Code tells an extension late what is in sight: until then the cursor at the end of
   * a growing text seems to be below the window, and the way up looks like a person's.
   */
  readonly on: SumOfLate;
  readonly back: SumOfLate;
  readonly wrap: WrapColumn;
}

/** How a person looks into a window. */
export interface Look {
  /** They have not scrolled away from the cursor. */
  readonly atCursor: boolean;
  /** Rows that a line takes. */
  readonly rowsOf: (line: string) => number;
  /** By how many lines the window may be further down than VS Code says. */
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

  /** The text that grows at the end of the document is to be seen. */
  isFollowing(editor: vscode.TextEditor): boolean {
    if (editor !== vscode.window.activeTextEditor || this.sights.get(editor)?.away) return false;
    if (!vscode.workspace.getConfiguration('agentDoc', editor.document.uri).get('follow', true))
      return false;
    return isAtEnd(editor.document, editor.selection.active);
  }

  /**

   * Shows the end of the text as the window has it by then: the person may have pasted something
   * there. Until it answers, that is no scrolling of theirs.

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

   * What grows goes on below: so only a person, or text that went, makes the first line in sight an
   * earlier one.

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

  /** A person has scrolled up, or an edit that was refused has. */
  private onSeenUp(sight: Sight, to: vscode.Position): void {
    if (sight.first.line - to.line <= sight.back.sum) return sight.back.clear();
    sight.away = to;
    sight.on.clear();
  }

  /** What was under way when the person scrolled up has taken them down again. */
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
