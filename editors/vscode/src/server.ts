// Finds the server, starts it in trusted folders, watches it, and restarts it on request.
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type DynamicFeature,
  type ErrorHandler,
  type LanguageClientOptions,
  type ServerOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';

import { EditApplier } from './applyEdit';
import type { Follow } from './follow';
import { NeedsTrust, type Messages, type ShownMessage } from './messages';
import { protocolProblem, turnNotification, type Turn } from './protocol';
import type { TakeBack } from './takeBack';
import type { Turns } from './turns';

const programName = process.platform === 'win32' ? 'agent-doc.exe' : 'agent-doc';
const stopTimeoutMs = 3000;

/**
 * A client that does not register the server's commands. The library would register them without a
 * document to run in, and only while the server runs.
 */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const isExecuteCommand =
      'registrationType' in feature &&
      feature.registrationType.method === ExecuteCommandRequest.method;
    if (!isExecuteCommand) super.registerFeature(feature);
  }
}

/** The agents that a command may start: `own` is the tour, which is part of the server. */
export type StartsAgents = 'any' | 'own';

export class Server implements vscode.Disposable {
  private readonly edits: EditApplier;
  private readonly started = new vscode.EventEmitter<readonly string[]>();
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;

  /** Fires with the commands that the server announced. */
  readonly onDidStart = this.started.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly turns: Turns,
    takeBack: TakeBack,
    follow: Follow,
    private readonly messages: Messages,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.edits = new EditApplier(turns, takeBack, follow, log);
  }

  /**
   * Sends a command; starts the server first if it does not run. Rejects with the server's refusal,
   * or with the reason why the server could not be started.
   */
  async execute<Result>(
    command: string,
    argument: object,
    startsAgents: StartsAgents = 'any',
  ): Promise<Result> {
    await this.start(startsAgents);
    if (!this.client) throw new Error('The server of agent-doc does not run.');
    return this.client.sendRequest<Result>(ExecuteCommandRequest.method, {
      command,
      arguments: [argument],
    });
  }

  /**
   * Starts the server unless it runs. Rejects in an untrusted folder if foreign programs may be
   * started.
   */
  async start(startsAgents: StartsAgents = 'any'): Promise<void> {
    if (!vscode.workspace.isTrusted && startsAgents === 'any')
      throw new NeedsTrust('Agents are started only in folders that you trust.');
    if (this.client?.isRunning()) return;
    this.starting ??= this.startClient().finally(() => (this.starting = undefined));
    await this.starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) await client.stop(stopTimeoutMs);
    this.turns.interruptAll();
  }

  private async startClient(): Promise<void> {
    const command = this.findProgram();
    const options: ServerOptions = { command, args: ['serve'] };
    const client = new Client('agentDoc', 'agent-doc', options, this.clientOptions());
    client.registerFeature(new OwnCapabilities());
    client.onNotification(
      'window/showMessage',
      (message: ShownMessage) => void this.messages.onMessage(message),
    );
    client.onRequest('window/showMessageRequest', (message: ShownMessage) =>
      this.messages.onRequest(message),
    );
    client.onNotification(turnNotification, (turn: Turn) => this.turns.set(turn));
    this.log.info(`starting ${command}`);
    try {
      await client.start();
    } catch (error) {
      throw new Error(
        `${command} could not be started: ${messageOf(error)}. The setting agentDoc.server.path names another program.`,
      );
    }
    this.client = client;
    const problem = protocolProblem(
      (client.initializeResult?.capabilities.experimental as { agentDoc?: unknown } | undefined)
        ?.agentDoc,
    );
    if (problem !== undefined) void vscode.window.showWarningMessage(problem);
    this.started.fire(client.initializeResult?.capabilities.executeCommandProvider?.commands ?? []);
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file', language: 'markdown' }],
      outputChannel: this.log,
      errorHandler: this.errorHandler(),
      initializationFailedHandler: () => false,
      middleware: {
        workspace: { handleApplyEdit: (params, next) => this.edits.apply(params, next) },
      },
    };
  }

  private errorHandler(): ErrorHandler {
    return {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        if (!this.starting) void this.tellOfEnd(); // a failed start has its own message
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }

  /**
   * Handles an unexpected end of the server. The received text of a reply stays in the document;
   * the person decides whether to restart.
   */
  private async tellOfEnd(): Promise<void> {
    this.client = undefined;
    const names = this.turns
      .interruptAll()
      .map((turn) => vscode.workspace.asRelativePath(vscode.Uri.parse(turn.uri)));
    const where =
      names.length > 0
        ? ` in the middle of the reply in ${names.join(', ')}. The received text stays in the document`
        : '';
    const restart = 'Restart';
    const showLog = 'Show the Log';
    const choice = await vscode.window.showErrorMessage(
      `The server of agent-doc ended unexpectedly${where}.`,
      restart,
      showLog,
    );
    if (choice === showLog) this.log.show();
    if (choice === restart)
      await this.start().catch((error: unknown) =>
        vscode.window.showErrorMessage(messageOf(error)),
      );
  }

  /** Returns the program of the setting, of the extension, or on PATH. Throws if there is none. */
  private findProgram(): string {
    const own = vscode.workspace.getConfiguration('agentDoc').get<string>('server.path', '').trim();
    const bundled = path.join(this.context.extensionPath, 'bin', programName);
    const onPath = (process.env['PATH'] ?? '')
      .split(path.delimiter)
      .map((folder) => path.join(folder, programName));
    const found = (own !== '' ? [own] : [bundled, ...onPath]).find((candidate) =>
      existsSync(candidate),
    );
    if (found) return found;
    if (own !== '')
      throw new Error(
        `${own} could not be started: there is no such program. Correct the setting agentDoc.server.path, or clear it to use the one of this extension.`,
      );
    throw new Error(
      `${programName} is neither in this extension nor on PATH: install it, or name it in the setting agentDoc.server.path.`,
    );
  }

  dispose(): void {
    this.edits.dispose();
    this.started.dispose();
  }
}

/**
 * Promises the server that edits are checked strictly and shown at once: it may write at full pace.
 * Also says that each edit takes time, as it passes two processes and a frame of the screen.
 */
class OwnCapabilities implements StaticFeature {
  fillClientCapabilities(capabilities: {
    experimental?: unknown;
    window?: { workDoneProgress?: boolean };
  }): void {
    // Show the status only once: in our own item, or else in VS Code's.
    const isShown =
      vscode.workspace.getConfiguration('agentDoc').get<string>('statusBar', 'always') !== 'never';
    if (isShown && capabilities.window) capabilities.window.workDoneProgress = false;
    capabilities.experimental = { agentDoc: { turn: true, strictEdits: true, slowEdits: true } };
  }
  initialize(): void {}
  getState(): { kind: 'static' } {
    return { kind: 'static' };
  }
  clear(): void {}
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
