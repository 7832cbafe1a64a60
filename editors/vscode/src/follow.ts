// What it is: whether the growing end of a document is to stay in view: its cursor is at the end, where the next question is written, and the person has not
// scrolled away. And what is seen of how the window wraps lines.
// What it is not: what keeps a line in its row (viewKeeper.ts).
import * as vscode from 'vscode';

import { isAtEnd } from './openPrompt';
import { WrapColumn } from './wrap';

interface Sight {
  first: vscode.Position;
  seesEnd: boolean;
  lines: number;
  /** Where the person has scrolled to. */
  away: vscode.Position | undefined;
  /** How many times the end was asked to be shown, and the window has not done it yet. */
  asked: number;
  readonly wrap: WrapColumn;
}

/** How a person looks into a window. */
export interface Look {
  /** They have not scrolled away from the cursor. */
  readonly atCursor: boolean;
  /** Rows that a line takes. */
  readonly rowsOf: (line: string) => number;
}

export class Follow implements vscode.Disposable {
  private readonly sights = new WeakMap<vscode.TextEditor, Sight>();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor, visibleRanges }) => this.onSeen(textEditor, visibleRanges)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        const sight = this.sights.get(textEditor);
        if (sight && kind !== undefined) sight.away = undefined; // a text that comes above a cursor moves it, too, of no kind
      }),
    ];
  }

  /** The text that grows at the end of the document is to be seen. */
  isFollowing(editor: vscode.TextEditor): boolean {
    if (editor !== vscode.window.activeTextEditor || this.sights.get(editor)?.away) return false;
    if (!vscode.workspace.getConfiguration('agentDoc', editor.document.uri).get('follow', true)) return false;
    return isAtEnd(editor.document, editor.selection.active);
  }

  /** Shows the end of the text as the window has it by then: the person may have pasted something there. Until it answers, that is no scrolling of theirs. */
  showEnd(editor: vscode.TextEditor): void {
    const sight = this.sights.get(editor);
    if (sight) sight.asked += 1;
    const done = (): void => void (sight && (sight.asked -= 1));
    void vscode.commands.executeCommand('revealLine', { lineNumber: Number.MAX_SAFE_INTEGER }).then(done, done);
  }

  lookInto(editor: vscode.TextEditor): Look {
    const sight = this.sights.get(editor);
    const isWrapped = vscode.workspace.getConfiguration('editor', editor.document).get('wordWrap') !== 'off';
    return { atCursor: sight?.away === undefined, rowsOf: (line) => (isWrapped ? (sight?.wrap.rows(line) ?? 1) : 1) };
  }

  /** What grows goes on below: so only a person, or text that went, makes the first line in sight an earlier one. */
  private onSeen(editor: vscode.TextEditor, ranges: readonly vscode.Range[]): void {
    const [first, last] = [ranges[0], ranges[ranges.length - 1]];
    if (!first || !last || editor.document.uri.scheme !== 'file' || editor.document.languageId !== 'markdown') return;
    let sight = this.sights.get(editor);
    if (!sight) this.sights.set(editor, (sight = { first: first.start, away: undefined, asked: 0, seesEnd: true, lines: 0, wrap: new WrapColumn() }));
    const seesEnd = isAtEnd(editor.document, editor.document.validatePosition(last.end));
    const isDown = first.start.isAfter(sight.first);
    if (isDown && seesEnd && sight.away && sight.asked > 0) this.scrollBack(first.start.line - sight.away.line);
    else if (isDown && seesEnd) sight.away = undefined;
    else if (first.start.isBefore(sight.first) && editor.document.lineCount >= sight.lines) sight.away = first.start;
    sight.first = first.start;
    sight.lines = editor.document.lineCount;
    sight.seesEnd = seesEnd;
    for (const at of [first.start, last.end]) {
      if (at.line < editor.document.lineCount) sight.wrap.learn({ line: editor.document.lineAt(at.line).text, at: at.character });
    }
  }

  /** What was under way when the person scrolled up has taken them down again. */
  private scrollBack(lines: number): void {
    if (lines > 0) void vscode.commands.executeCommand('editorScroll', { to: 'up', by: 'line', value: lines, revealCursor: false });
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
