// What it is: new session documents, and the tour's. What it is not: a template engine.
import { randomUUID } from 'node:crypto';
import * as os from 'node:os';
import * as vscode from 'vscode';

const tourPrompt = `Show me around.

<!-- This is a comment: the agent does not see it. Type anywhere while the reply streams in below, also into the reply.
     Then write your next question at the end, and press Ctrl+Enter. -->
`;

export async function createDocument(): Promise<void> {
  const uri = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.joinPath(homeFolder(), 'session.md'),
    filters: { Markdown: ['md'] },
    title: 'New Session Document',
  });
  if (uri) await open(uri, sessionText('', ''));
}

/** A new document for the built-in agent, in the folder that is open, else in the person's own. */
export async function openTour(): Promise<vscode.Uri> {
  const uri = await freeName(homeFolder(), 'agent-doc-tour');
  await open(uri, sessionText('agent: tour\n', tourPrompt));
  return uri;
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
