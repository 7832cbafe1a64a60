// Applies the server's edits to a document: through an editor that shows it, strictly at the
// version that the edit was made for, and as part of the undo step of its turn. There is no queue:
// an edit is applied now or refused, and the server then sends a new one.
import * as vscode from 'vscode';
import {
  CancellationToken,
  type ApplyWorkspaceEditParams,
  type ApplyWorkspaceEditRequest,
  type ApplyWorkspaceEditResult,
  type HandlerResult,
  type TextEdit,
} from 'vscode-languageclient/node';

import type { Follow } from './follow';
import { isFinished, type Turn } from './protocol';
import type { TakeBack } from './takeBack';
import { slideOffCursors, type Piece } from './textPlace';
import type { Turns } from './turns';
import { ViewKeeper } from './viewKeeper';

type Result = HandlerResult<ApplyWorkspaceEditResult, void>;

/** The edits of a turn so far, for undo and for the log. */
interface Writing {
  lastVersion: number;
  landed: number;
  refused: number;
}

interface VersionedEdit {
  readonly uri: vscode.Uri;
  readonly version: number;
  readonly edit: TextEdit;
}

export class EditApplier implements vscode.Disposable {
  private readonly writings = new Map<string, Writing>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    turns: Turns,
    private readonly takeBack: TakeBack,
    private readonly follow: Follow,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      turns.onDidChange((turn) => this.onTurn(turn)),
      vscode.workspace.onDidCloseTextDocument((document) =>
        this.writings.delete(document.uri.toString()),
      ),
    ];
  }

  /** Handles `workspace/applyEdit`, as a middleware. */
  async apply(
    params: ApplyWorkspaceEditParams,
    next: ApplyWorkspaceEditRequest.HandlerSignature,
  ): Promise<Awaited<Result>> {
    const versioned = onlyEdit(params);
    const document = versioned && openDocument(versioned.uri);
    if (!versioned || !document) return next(params, CancellationToken.None);
    if (document.version !== versioned.version) return this.refuse(document, versioned);
    const writing = this.writingOf(document);
    if (writing.lastVersion < 0) this.takeBack.begin(document);
    const applied = await this.write(document, versioned.edit, writing);
    if (!applied) return this.refuse(document, versioned);
    writing.landed += 1;
    return { applied: true };
  }

  /**
   * Writes an edit. It joins the undo step of the turn's edits since the person last changed the
   * text. The first edit of a turn, and the first one after a change by somebody else, begins a new
   * step: undo never removes a person's text together with the agent's.
   */
  private async write(
    document: vscode.TextDocument,
    edit: TextEdit,
    writing: Writing,
  ): Promise<boolean> {
    const editors = vscode.window.visibleTextEditors.filter(
      (editor) => editor.document === document,
    );
    const editor = editors.find((one) => one === vscode.window.activeTextEditor) ?? editors[0];
    const version = document.version;
    let applied: boolean;
    if (editor) {
      const frame = isFrame(edit.newText);
      const piece = placeOf(document, edit, frame ? [] : editors);
      // The frame pushes the cursor at the end of a question down, to where the next one is
      // written.
      const view = new ViewKeeper(
        editor,
        frame ? editors.filter((one) => one !== editor) : editors,
        piece,
        this.follow.lookInto(editor),
      );
      const following = this.follow.isFollowing(editor);
      // A person who writes the next question looks at that line, so it keeps its place. A person
      // who only waits for the reply sees it grow down the window first.
      const keepsLine =
        !following ||
        (!frame && !document.lineAt(editor.selection.active.line).isEmptyOrWhitespace);
      const showsEnd = following && !keepsLine;
      this.takeBack.expect(document, piece);
      const undisturbed = writing.lastVersion === version;
      const edited = editor.edit(
        (builder) => builder.replace(rangeOf(document, piece), piece.text),
        { undoStopBefore: !undisturbed, undoStopAfter: false },
      );
      // If both are sent in the same moment, VS Code does both before it paints. But the edit may
      // still be refused if the person types.
      if (undisturbed && keepsLine) view.scrollAlong();
      if (undisturbed && showsEnd) this.follow.showEnd(editor);
      applied = await edited;
      const nobodyTyped = document.version === version + 1;
      if (!applied) view.scrollBack();
      else if (!undisturbed && keepsLine && nobodyTyped) view.scrollAlong();
      else if (!undisturbed && keepsLine) view.scrollAlongBesideAKey();
      if (applied) view.landed();
      if (applied && nobodyTyped) view.putCursorsBack();
      if (applied && !undisturbed && nobodyTyped && this.follow.isFollowing(editor) && showsEnd)
        this.follow.showEnd(editor);
    } else {
      const change = new vscode.WorkspaceEdit();
      change.replace(document.uri, toRange(edit), edit.newText);
      this.takeBack.expect(document, placeOf(document, edit, []));
      applied = await vscode.workspace.applyEdit(change);
    }
    if (applied) writing.lastVersion = version + 1;
    return applied;
  }

  private refuse(
    document: vscode.TextDocument,
    { version }: VersionedEdit,
  ): ApplyWorkspaceEditResult {
    this.writingOf(document).refused += 1;
    return {
      applied: false,
      failureReason: `the edit is for version ${version}, the document is at version ${document.version}`,
    };
  }

  private writingOf(document: vscode.TextDocument): Writing {
    const key = document.uri.toString();
    let writing = this.writings.get(key);
    if (!writing) this.writings.set(key, (writing = { lastVersion: -1, landed: 0, refused: 0 }));
    return writing;
  }

  /** Ends the undo step of a finished turn: the next edit belongs to another turn. */
  private onTurn(turn: Turn): void {
    if (!isFinished(turn)) return;
    const uri = vscode.Uri.parse(turn.uri);
    const writing = this.writings.get(uri.toString());
    if (!writing) return;
    this.log.info(
      `${vscode.workspace.asRelativePath(uri)}: turn ${turn.turn} ${turn.state}: ${writing.landed} edits landed, ${writing.refused} refused`,
    );
    this.writings.delete(uri.toString());
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

/**
 * Returns the edit if it is one contiguous piece of one document with a version, as our server
 * promises; else undefined.
 */
function onlyEdit(params: ApplyWorkspaceEditParams): VersionedEdit | undefined {
  const changes = params.edit.documentChanges ?? [];
  const [change] = changes;
  if (changes.length !== 1 || !change || !('edits' in change) || change.edits.length !== 1)
    return undefined;
  const [edit] = change.edits;
  if (change.textDocument.version === null || !edit || !('newText' in edit)) return undefined;
  return {
    uri: vscode.Uri.parse(change.textDocument.uri),
    version: change.textDocument.version,
    edit,
  };
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const key = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
}

/** Whether `text` is the frame of a run: the place of the reply and the heading of the next prompt.
 * */
function isFrame(text: string): boolean {
  return /(^|\n)## Assistant\r?\n[^]*\n## User\s*$/.test(text);
}

function placeOf(
  document: vscode.TextDocument,
  edit: TextEdit,
  editors: readonly vscode.TextEditor[],
): Piece {
  const range = toRange(edit);
  const piece = {
    begin: document.offsetAt(range.start),
    end: document.offsetAt(range.end),
    text: edit.newText,
  };
  const selections = editors.flatMap((editor) => editor.selections);
  if (
    !selections.some(
      (selection) => selection.start.isEqual(range.start) || selection.end.isEqual(range.start),
    )
  )
    return piece;
  const cursors = selections.flatMap((selection) => [
    document.offsetAt(selection.start),
    document.offsetAt(selection.end),
  ]);
  const line = document.lineAt(range.start.line);
  const lineEnd = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
  const hasNext = range.start.line + 1 < document.lineCount;
  const before = line.text.charAt(range.start.character - 1);
  const after = line.text.charAt(range.start.character) || (hasNext ? lineEnd : '');
  return slideOffCursors(piece, before, after, cursors);
}

function rangeOf(document: vscode.TextDocument, piece: Piece): vscode.Range {
  return new vscode.Range(document.positionAt(piece.begin), document.positionAt(piece.end));
}

function toRange({ range }: TextEdit): vscode.Range {
  return new vscode.Range(
    range.start.line,
    range.start.character,
    range.end.line,
    range.end.character,
  );
}
