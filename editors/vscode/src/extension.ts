// Creates the objects of the extension and connects them.
import * as vscode from 'vscode';

import { registerCommands } from './commands';
import { ContextKeys } from './contextKeys';
import { Follow } from './follow';
import { Messages } from './messages';
import { QuestionDocuments } from './permission';
import { PromptDocuments } from './promptDocuments';
import { ReplyLook } from './replyLook';
import { commands } from './protocol';
import { messageOf, Server } from './server';
import { StatusBar } from './statusBar';
import { TakeBack } from './takeBack';
import { Turns } from './turns';

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('agent-doc', { log: true });
  const turns = new Turns();
  const takeBack = new TakeBack();
  const prompts = new PromptDocuments();
  const follow = new Follow();
  const messages = new Messages(turns, log);
  const contextKeys = new ContextKeys(turns);
  const running = (server = new Server(context, turns, takeBack, follow, messages, log));
  context.subscriptions.push(
    log,
    turns,
    takeBack,
    prompts,
    follow,
    messages,
    new ReplyLook(),
    contextKeys,
    running,
    new StatusBar(turns),
    vscode.workspace.registerTextDocumentContentProvider(
      QuestionDocuments.scheme,
      new QuestionDocuments(),
    ),
    registerCommands(running, turns, takeBack, prompts, messages, log),
    running.onDidStart((announced) => contextKeys.setCommands(announced)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => startQuietly(running, log)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('agentDoc.server.path')) void offerRestart();
    }),
  );
  const isUp = (): void => contextKeys.setUp();
  void warmUp().then(isUp, isUp);
  if (vscode.workspace.isTrusted) startQuietly(running, log);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/**
 * Runs a command that does nothing. When the window runs an extension's command for the first time,
 * it first asks whether the extension is up, and keys come in between. This call is that first
 * time.
 */
async function warmUp(): Promise<void> {
  await vscode.commands.executeCommand('runCommands', {
    commands: [{ command: commands.run, args: { by: 'nobody' } }],
  });
}

function startQuietly(running: Server, log: vscode.LogOutputChannel): void {
  running.start().catch((error: unknown) => {
    log.error(messageOf(error));
    void vscode.window.showErrorMessage(messageOf(error));
  });
}

async function offerRestart(): Promise<void> {
  const restart = 'Restart the Server';
  if (
    (await vscode.window.showInformationMessage(
      'The setting takes effect when the agent-doc server is restarted.',
      restart,
    )) === restart
  )
    await vscode.commands.executeCommand('agentDoc.restartServer');
}
