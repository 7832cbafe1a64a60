// Creates new session documents, and the document of the tour.
import { randomUUID } from 'node:crypto';
import * as os from 'node:os';
import * as vscode from 'vscode';

import { agentOf } from './sessionDocument';

const tourPrompt = `Show me around.

<!-- This is a comment: the agent does not see it. Type anywhere while the reply streams in below,
     also into the reply. Then write your next question at the end, and press Ctrl+Enter. -->
`;

export async function createDocument(): Promise<void> {
  const uri = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(homeFolder(), 'session.md'),
    filters: { Markdown: ['md'] },
    title: 'New Session Document',
  });
  if (uri) await open(uri, sessionText('', ''));
}

/** Creates a document in the open folder, with these lines in its front matter. */
export async function createSessionDocument(frontMatter: string): Promise<void> {
  await open(await freeName(homeFolder(), 'session'), sessionText(frontMatter, ''));
}

/**
 * Opens the document of the tour, in the open folder or else in the home folder. Returns undefined
 * if the document already has its reply.
 */
export async function openTour(): Promise<vscode.Uri | undefined> {
  const known = await knownTour();
  if (known) {
    await vscode.window.showTextDocument(known, { preview: false });
    return isAsked(known) ? undefined : known.uri;
  }
  const uri = await freeName(homeFolder(), 'agent-doc-tour');
  await open(uri, sessionText('agent: tour\n', tourPrompt));
  return uri;
}

async function knownTour(): Promise<vscode.TextDocument | undefined> {
  try {
    const document = await vscode.workspace.openTextDocument(
      vscode.Uri.joinPath(homeFolder(), 'agent-doc-tour.md'),
    );
    return agentOf(document) === 'tour' ? document : undefined;
  } catch {
    return undefined;
  }
}

function isAsked(document: vscode.TextDocument): boolean {
  return /^## Assistant\s*$/m.test(document.getText());
}

function homeFolder(): vscode.Uri {
  return vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(os.homedir());
}

function sessionText(frontMatter: string, prompt: string): string {
  return `---\nagent_doc_session: ${randomUUID()}\n${frontMatter}---\n\n## User\n\n${prompt}`;
}

async function freeName(folder: vscode.Uri, name: string): Promise<vscode.Uri> {
  for (let number = 1; ; ++number) {
    const uri = vscode.Uri.joinPath(folder, number === 1 ? `${name}.md` : `${name}-${number}.md`);
    const taken = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (!taken) return uri;
  }
}

async function open(uri: vscode.Uri, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
  const editor = await vscode.window.showTextDocument(uri, { preview: false });
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  editor.selection = new vscode.Selection(end, end);
}
