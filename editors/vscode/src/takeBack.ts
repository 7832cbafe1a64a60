// Removes the last reply of a document in one step and keeps what a person typed meanwhile, even
// inside the reply. VS Code's undo cannot do that: it has one history per document, in the order of
// time. This is an edit, and can be undone.
import * as vscode from 'vscode';

import { OwnText } from './ownText';
import type { Piece } from './textPlace';

interface Expected {
  readonly version: number;
  readonly removed: string;
  readonly piece: Piece;
}

interface Reply {
  readonly own: OwnText;
  expected: Expected | undefined;
}

export class TakeBack implements vscode.Disposable {
  private readonly replies = new Map<string, Reply>();
  private readonly subscriptions: vscode.Disposable[];

  constructor() {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => this.onChange(event)),
      vscode.workspace.onDidCloseTextDocument((document) =>
        this.replies.delete(document.uri.toString()),
      ),
    ];
  }

  /** Starts a new turn. The text of the previous one can no longer be taken back. */
  begin(document: vscode.TextDocument): void {
    this.replies.set(document.uri.toString(), { own: new OwnText(), expected: undefined });
  }

  /** Announces an edit of the agent, which is applied next unless it is refused. */
  expect(document: vscode.TextDocument, piece: Piece): void {
    const reply = this.replies.get(document.uri.toString());
    if (!reply) return;
    const removed = document.getText(
      new vscode.Range(document.positionAt(piece.begin), document.positionAt(piece.end)),
    );
    reply.expected = { version: document.version + 1, removed, piece };
  }

  async run(document: vscode.TextDocument): Promise<void> {
    const reply = this.replies.get(document.uri.toString());
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    if (!reply || reply.own.isEmpty || !editor)
      throw new Error(
        'No reply that was written since this document was opened is left to take back.',
      );
    const pieces = reply.own.inverse();
    const range = ({ begin, end }: Piece): vscode.Range =>
      new vscode.Range(document.positionAt(begin), document.positionAt(end));
    const done = await editor.edit((builder) =>
      pieces.forEach((piece) => builder.replace(range(piece), piece.text)),
    );
    if (!done)
      throw new Error('The document was changed in the same moment: take the reply back again.');
  }

  private onChange({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const reply = this.replies.get(document.uri.toString());
    if (!reply) return;
    const { expected, own } = reply;
    const [first] = contentChanges;
    const isOurs =
      expected?.version === document.version &&
      contentChanges.length === 1 &&
      first?.rangeOffset === expected.piece.begin &&
      first.text === expected.piece.text;
    if (isOurs) own.write(expected.piece.begin, expected.removed, expected.piece.text.length);
    else
      for (const change of contentChanges)
        own.change(change.rangeOffset, change.rangeLength, change.text.length);
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
