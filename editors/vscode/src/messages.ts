// What it is: what the server and the extension tell the person, with the buttons that help; and a
// question's notification, which goes when it is answered elsewhere.
// What it is not: the words; the server chooses most of them.
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { commands, refusalReason, type Turn } from './protocol';
import type { Turns } from './turns';

/** `window/showMessage` and `window/showMessageRequest` of LSP. */
export interface ShownMessage {
  readonly type: number;
  readonly message: string;
  readonly actions?: readonly { readonly title: string; readonly agentDocOption?: string }[];
}

type Choices = Record<string, () => unknown>;

/** A refusal that only trust in the folder takes away. */
export class NeedsTrust extends Error {}
/** The document has no file yet. */
export class NeedsSaving extends Error {}

export class Messages implements vscode.Disposable {
  /** The question whose notification is open, by turn. */
  private readonly asked = new Map<string, string>();
  private readonly subscription: vscode.Disposable;

  constructor(
    turns: Turns,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscription = turns.onDidChange((turn) => this.onTurn(turn));
  }

  /** `window/showMessage` */
  async onMessage({ type, message }: ShownMessage): Promise<void> {
    await show(type, message, this.helpFor(message));
  }

  /** `window/showMessageRequest` */
  async onRequest({
    type,
    message,
    actions = [],
  }: ShownMessage): Promise<{ title: string } | null> {
    const titles = actions.map(({ title }) => title);
    const chosen = await functionOf(type)(message, ...titles);
    const action = actions.find(({ title }) => title === chosen);
    if (action?.agentDocOption !== undefined) this.asked.clear();
    return action ? { ...action } : null;
  }

  /** What went wrong with something that the person asked for. */
  async tell(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.log.warn(message);
    const reason = refusalReason(error);
    if (error instanceof NeedsTrust)
      return show(2, message, {
        'Manage Workspace Trust': () => vscode.commands.executeCommand('workbench.trust.manage'),
      });
    if (error instanceof NeedsSaving)
      return show(3, message, {
        'Save…': () => vscode.commands.executeCommand('workbench.action.files.saveAs'),
      });
    if (reason === 'nothing-to-send') return show(3, message, {});
    if (reason === 'busy') return show(2, message, {});
    if (reason === 'unknown-agent') return show(1, message, otherAgent);
    return show(1, message, { 'Show the Log': () => this.log.show() });
  }

  private helpFor(message: string): Choices {
    if (message.includes('“Insert what is missing of the last reply”'))
      return { 'Insert What Is Missing': () => recover(message) };
    if (message.includes('config.toml') || /configuration/i.test(message))
      return {
        ...(/\bagent\b/.test(message) && otherAgent),
        'Open config.toml': openConfiguration,
      };
    if (/could not be started|is not installed|log ?in|API key/i.test(message)) return otherAgent;
    return {};
  }

  /**

   * Answered in the list, by a code action, in another window: the notification is of no use any
   * more.

   */
  private onTurn(turn: Turn): void {
    const before = this.asked.get(turn.turn);
    const now = turn.permission?.id;
    if (now !== undefined) this.asked.set(turn.turn, now);
    else this.asked.delete(turn.turn);
    if (before !== undefined && before !== now)
      void vscode.commands.executeCommand('notifications.hideToasts');
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

const otherAgent: Choices = {
  'Choose Another Agent': () => vscode.commands.executeCommand('agentDoc.runWith'),
  'Open config.toml': openConfiguration,
};

function functionOf(
  type: number,
): (message: string, ...items: string[]) => Thenable<string | undefined> {
  if (type === 1) return vscode.window.showErrorMessage;
  return type === 2 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
}

async function show(type: number, message: string, choices: Choices): Promise<void> {
  const chosen = await functionOf(type)(message, ...Object.keys(choices));
  await (chosen === undefined ? undefined : choices[chosen]?.());
}

/**

 * The message names the file of the document; of several with that name the one in sight is meant.

 */
async function recover(message: string): Promise<void> {
  const named = vscode.workspace.textDocuments.filter((document) =>
    message.includes(` in ${path.basename(document.uri.fsPath)} `),
  );
  const document =
    named.find((one) => one === vscode.window.activeTextEditor?.document) ?? named[0];
  await vscode.commands.executeCommand(
    commands.recoverReply,
    document && { uri: document.uri.toString() },
  );
}

/** The person's own configuration, which is made when there is none. */
export async function openConfiguration(): Promise<void> {
  const base = process.env['XDG_CONFIG_HOME'];
  const folder = path.join(
    base?.startsWith('/') ? base : path.join(os.homedir(), '.config'),
    'agent-doc',
  );
  const uri = vscode.Uri.file(path.join(folder, 'config.toml'));
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  const template =
    '# agent-doc: which agents there are, and which one replies where a document names none.\n# default_agent = "claude"\n\n# [agents.claude]\n# command = "/path/to/claude"\n';
  if (!isThere) await vscode.workspace.fs.writeFile(uri, Buffer.from(template));
  await vscode.window.showTextDocument(uri, { preview: false });
}
