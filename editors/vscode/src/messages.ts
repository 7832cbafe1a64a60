// Shows the messages of the server and the extension, with buttons that help. Also hides the
// notification of a question that is answered elsewhere. The server words most messages.
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { QuestionDocuments, showAll } from './permission';
import { commands, refusalReason, type Turn } from './protocol';
import type { Turns } from './turns';

/** `window/showMessage` and `window/showMessageRequest` of LSP. */
export interface ShownMessage {
  readonly type: number;
  readonly message: string;
  readonly actions?: readonly { readonly title: string; readonly agentDocOption?: string }[];
  /** Of a question: the tool, and all of what the agent wants to do with it. */
  readonly agentDocTool?: string;
  readonly agentDocDetail?: string;
}

type Choices = Record<string, () => unknown>;

/** The command needs a trusted folder. */
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

  /** Handles `window/showMessage`. */
  async onMessage({ type, message }: ShownMessage): Promise<void> {
    await show(type, message, this.helpFor(message));
  }

  /**
   * Handles `window/showMessageRequest`. A question can be shown whole, here, because the server
   * could only give VS Code a file, which would be open to typing. Then it is asked again.
   */
  async onRequest(request: ShownMessage): Promise<{ title: string } | null> {
    const { type, message, actions = [], agentDocTool, agentDocDetail } = request;
    const titles = actions.map(({ title }) => title);
    const chosen = await functionOf(type)(message, ...titles);
    const action = actions.find(({ title }) => title === chosen);
    if (agentDocDetail !== undefined && action?.title === showAll) {
      await QuestionDocuments.show('The agent', agentDocTool ?? 'a tool', agentDocDetail);
      return this.onRequest(request);
    }
    if (action?.agentDocOption !== undefined) this.asked.clear();
    return action ? { ...action } : null;
  }

  /** Shows why a command of the person failed. */
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
   * Hides the notification of a question that was answered in the list, by a code action, or in
   * another window.
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
 * Recovers the document whose file the message names. If several have that name, prefers the active
 * one.
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

/** Opens the person's own configuration; creates it if there is none. */
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
    '# agent-doc: the agents, and the default one.\n# default_agent = "claude"\n\n# [agents.claude]\n# command = "/path/to/claude"\n';
  if (!isThere) await vscode.workspace.fs.writeFile(uri, Buffer.from(template));
  await vscode.window.showTextDocument(uri, { preview: false });
}
