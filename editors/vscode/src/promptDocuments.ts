// Shows what a run would send as a virtual, read-only document, one for each session document.
import * as vscode from 'vscode';

export class PromptDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  static readonly scheme = 'agent-doc-prompt';

  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(
    PromptDocuments.scheme,
    this,
  );
  private readonly closing = vscode.workspace.onDidCloseTextDocument((document) => {
    if (document.uri.scheme === PromptDocuments.scheme) this.texts.delete(document.uri.path);
  });
  readonly onDidChange = this.changed.event;

  dispose(): void {
    vscode.Disposable.from(this.registration, this.closing, this.changed).dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  /** `source`: the URI of the session document. */
  async show(source: string, text: string): Promise<void> {
    const path = vscode.Uri.parse(source).path.replace(/(\.[^./]+)?$/, ' (what will be sent)$1');
    const uri = vscode.Uri.from({ scheme: PromptDocuments.scheme, path });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, {
      preview: true,
      viewColumn: vscode.ViewColumn.Beside,
    });
  }
}
