// Registers the commands for the palette, keys, code lenses and code actions. Without an argument,
// they act on the active editor's document. The server does the work.
import * as vscode from 'vscode';

import {
  commands,
  isFinished,
  isRunning,
  refusalReason,
  type AgentList,
  type AnswerArgument,
  type DocumentArgument,
  type Preview,
  type Turn,
} from './protocol';
import { askPermission } from './permission';
import { NeedsSaving, openConfiguration, type Messages } from './messages';
import type { Server } from './server';
import { goOnWithSession } from './sessions';
import { typedSinceKey } from './earlyKeys';
import { isInOpenPrompt, PromptEnd } from './openPrompt';
import { agentOf, isMarkdownFile, isSessionDocument } from './sessionDocument';
import { createDocument, openTour } from './newDocument';
import type { PromptDocuments } from './promptDocuments';
import type { TakeBack } from './takeBack';
import type { Turns } from './turns';

type Handler = (argument?: unknown) => Promise<unknown>;

export function registerCommands(
  server: Server,
  turns: Turns,
  takeBack: TakeBack,
  prompts: PromptDocuments,
  messages: Messages,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const inDocument = new DocumentCommands(server, turns, takeBack, prompts);
  const handlers: Record<string, Handler> = {
    [commands.run]: (argument) => inDocument.run(argument),
    [commands.showPrompt]: (argument) => inDocument.showPrompt(argument),
    [commands.leaveOut]: (argument) => inDocument.leaveOut(argument),
    [commands.stop]: (argument) => inDocument.send(commands.stop, argument),
    [commands.steer]: (argument) => inDocument.send(commands.steer, argument),
    [commands.unqueue]: (argument) => inDocument.send(commands.unqueue, argument),
    [commands.retry]: (argument) => inDocument.send(commands.retry, argument),
    [commands.fork]: (argument) => inDocument.fork(argument),
    [commands.newSession]: (argument) => inDocument.send(commands.newSession, argument),
    [commands.continueReply]: (argument) => inDocument.send(commands.continueReply, argument),
    [commands.recoverReply]: (argument) => inDocument.send(commands.recoverReply, argument),
    [commands.answer]: (argument) => inDocument.answer(argument),
    [commands.status]: (argument) => inDocument.showStatus(argument),
    'agentDoc.runWith': (argument) => inDocument.runWith(argument),
    'agentDoc.takeBack': (argument) => inDocument.takeReplyBack(argument),
    'agentDoc.newDocument': () => createDocument(),
    'agentDoc.openTour': async () => {
      const uri = await openTour();
      if (uri) await inDocument.run({ uri: uri.toString() });
    },
    'agentDoc.resumeSession': () => goOnWithSession(server),
    'agentDoc.openConfiguration': () => openConfiguration(),
    'agentDoc.restartServer': () => server.restart(),
    'agentDoc.showLog': async () => log.show(),
  };
  const registrations = Object.entries(handlers).map(([name, handler]) =>
    vscode.commands.registerCommand(name, (argument?: unknown) =>
      handler(argument).catch((error: unknown) => messages.tell(error)),
    ),
  );
  return vscode.Disposable.from(...registrations);
}

class DocumentCommands {
  constructor(
    private readonly server: Server,
    private readonly turns: Turns,
    private readonly takeBack: TakeBack,
    private readonly prompts: PromptDocuments,
  ) {}

  async send<Result>(command: string, argument: unknown): Promise<Result> {
    const { uri } = documentArgument(argument);
    return this.server.execute<Result>(command, { uri }, command === commands.stop ? 'own' : 'any');
  }

  /**
   * Runs the open prompt. Text typed from now on belongs to the next prompt: it is not sent, and
   * the cursor moves to where the next prompt will be.
   */
  async run(argument: unknown, agent?: string): Promise<void> {
    if (isByNobody(argument)) return;
    const { uri } = documentArgument(argument);
    const running = this.turns.of(vscode.Uri.parse(uri));
    if (running && isRunning(running)) return this.queue(running, agent, isByKey(argument));
    const document = openDocument(uri);
    const typedFrom = document && isAnchored(argument) ? await typedSinceKey(document) : undefined;
    if (
      isByKey(argument) &&
      document &&
      !isSessionDocument(document) &&
      !(await this.wantsConversation())
    )
      return;
    const end = document && new PromptEnd(document, typedFrom);
    try {
      if (document && typedFrom === undefined && !isMovedAlready(argument)) leavePrompt(document);
      // Name the tour explicitly: the server might read the front matter differently.
      const isTour = (agent ?? (document && agentOf(document))) === 'tour';
      const starts = isTour ? 'own' : 'any';
      await this.server.start(starts);
      const who = isTour ? 'tour' : agent;
      await this.server.execute(
        commands.run,
        {
          uri,
          ...(who !== undefined && { agent: who }),
          ...(end && { promptEnd: toPosition(end.position) }),
        },
        starts,
      );
    } finally {
      end?.dispose();
    }
  }

  /**
   * Queues the prompt below the reply, which the status bar says. The key answers a question first;
   * where there is no such prompt, it shows the state of the reply.
   */
  private async queue({ uri, permission }: Turn, agent?: string, byKey = false): Promise<void> {
    if (byKey && permission) return this.showStatus({ uri });
    try {
      const asked = { uri, ...(agent !== undefined && { agent }) };
      await this.server.execute(commands.run, asked, 'own');
    } catch (error) {
      if (!byKey || refusalReason(error) !== 'busy') throw error;
      await this.showStatus({ uri });
    }
  }

  private async wantsConversation(): Promise<boolean> {
    const yes = 'Ask the Agent';
    const question =
      'Make this a conversation? The text is sent to the agent, and its reply comes below it; the file gets a few lines of front matter.';
    return (await vscode.window.showInformationMessage(question, yes)) === yes;
  }

  /**
   * Lets the person choose an agent for this one reply; the document's agent does not change.
   * Missing agents are listed, too: choosing one says how to install it.
   */
  async runWith(argument: unknown): Promise<void> {
    const { uri } = documentArgument(argument);
    const { agents } = await this.server.execute<AgentList>(commands.agents, {}, 'own');
    const installedFirst = [...agents].sort((a, b) => Number(b.installed) - Number(a.installed));
    const items = installedFirst.map((agent) => ({
      label: agent.name,
      description: agent.installed
        ? agent.default
          ? 'the default'
          : ''
        : 'not installed',
    }));
    const choice = await vscode.window.showQuickPick(items, { title: 'Which agent should reply?' });
    if (choice) await this.run({ uri }, choice.label);
  }

  async fork(argument: unknown): Promise<void> {
    const turn = (argument as { turn?: unknown } | null | undefined)?.turn;
    const { uri } = await this.server.execute<DocumentArgument>(
      commands.fork,
      { uri: documentArgument(argument).uri, ...(typeof turn === 'number' ? { turn } : {}) },
      'any',
    );
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { preview: false });
  }

  /** Shows what a run would send. */
  async showPrompt(argument: unknown): Promise<void> {
    const { uri } = documentArgument(argument);
    const { text } = await this.server.execute<Preview>(commands.preview, { uri }, 'any');
    await this.prompts.show(uri, text);
  }

  /**
   * Lets a change count as seen: that of the code action, of the cursor, or all of them where the
   * code action is that of the prompt.
   */
  async leaveOut(argument: unknown): Promise<void> {
    const isOfAction = isDocumentArgument(argument);
    const cursor = vscode.window.activeTextEditor?.selection.active;
    const position = isOfAction
      ? (argument as { position?: unknown }).position
      : cursor && toPosition(cursor);
    const { uri } = documentArgument(argument);
    await this.server.execute(commands.leaveOut, { uri, ...(position ? { position } : {}) }, 'any');
  }

  async takeReplyBack(argument: unknown): Promise<void> {
    const uri = vscode.Uri.parse(documentArgument(argument).uri);
    const turn = this.turns.of(uri);
    if (turn && !isFinished(turn) && !turn.canContinue)
      throw new Error('The reply is still being written: stop it first.');
    await this.takeBack.run(await vscode.workspace.openTextDocument(uri));
  }

  async answer(argument: unknown): Promise<void> {
    if (isAnswer(argument))
      return void (await this.server.execute(commands.answer, argument, 'own'));
    const turn = await this.turnOf(argument);
    if (turn?.permission) await this.ask(turn);
    else
      void vscode.window.showInformationMessage(
        'The agent of this document is not asking anything.',
      );
  }

  /**
   * Shows the state of the reply and the possible actions. The status bar does this, and the key of
   * Run while a reply streams.
   */
  async showStatus(argument: unknown): Promise<void> {
    const turn = await this.turnOf(argument);
    if (!turn)
      return this.offer('No reply was asked for in this document since the server started.', {
        Run: commands.run,
      });
    const uri = { uri: turn.uri };
    if (turn.permission) return this.ask(turn);
    if (turn.canContinue)
      return this.offer(
        'The reply is paused: text of it was undone.',
        { 'Write the Rest': commands.continueReply, ...stopIf(turn) },
        uri,
      );
    if (isRunning(turn))
      return this.offer(
        `${turn.agent}: ${turn.status || turn.phase}`,
        {
          Stop: commands.stop,
          ...(turn.queued && {
            'Say the Queued Prompt Now': commands.steer,
            'Take the Queued Prompt Back': commands.unqueue,
          }),
        },
        uri,
      );
    return this.offer(
      turn.failure ?? `${turn.agent}: ${turn.state}`,
      { Run: commands.run, Fork: commands.fork },
      uri,
    );
  }

  private async ask(turn: Turn): Promise<void> {
    const answer = await askPermission(turn);
    if (answer) await this.server.execute(commands.answer, answer, 'own');
  }

  private async offer(
    message: string,
    choices: Record<string, string>,
    argument?: DocumentArgument,
  ): Promise<void> {
    const choice = await vscode.window.showInformationMessage(message, ...Object.keys(choices));
    const command = choice && choices[choice];
    if (command) await vscode.commands.executeCommand(command, argument);
  }

  private async turnOf(argument: unknown): Promise<Turn | undefined> {
    const { uri } = documentArgument(argument);
    return this.turns.of(vscode.Uri.parse(uri));
  }
}

function stopIf(turn: Turn): Record<string, string> {
  return isRunning(turn) ? { Stop: commands.stop } : {};
}

/** Returns the argument of a code lens or code action, or else the active editor's document. */
function documentArgument(argument: unknown): DocumentArgument {
  if (isDocumentArgument(argument)) return argument;
  const document = vscode.window.activeTextEditor?.document;
  if (!document) throw new Error('Open a markdown document first.');
  if (document.isUntitled)
    throw new NeedsSaving(
      'Save this document first: an agent works in the folder of its document.',
    );
  if (!isMarkdownFile(document))
    throw new Error(
      `${document.fileName} is not a markdown file on disk: agents reply only in such files.`,
    );
  return { uri: document.uri.toString() };
}

function isDocumentArgument(argument: unknown): argument is DocumentArgument {
  return (
    !(argument instanceof vscode.Uri) &&
    typeof (argument as { uri?: unknown } | null | undefined)?.uri === 'string'
  );
}

/** Whether the key of Run was pressed. It asks before it turns a file into a conversation. */
function isByKey(argument: unknown): boolean {
  return (argument as { by?: unknown } | null | undefined)?.by === 'key';
}

/** See warmUp(). */
function isByNobody(argument: unknown): boolean {
  return (argument as { by?: unknown } | null | undefined)?.by === 'nobody';
}

/** Whether the window moved the cursor as part of the key, so that no other key came in between. */
function isMovedAlready(argument: unknown): boolean {
  return (argument as { cursor?: unknown } | null | undefined)?.cursor === 'atEnd';
}

/** Whether the window marked where the key was pressed, because this extension was not up yet. */
function isAnchored(argument: unknown): boolean {
  return (argument as { cursor?: unknown } | null | undefined)?.cursor === 'anchored';
}

/** Lets the window move the cursor to the end that the document has by then. */
function leavePrompt(document: vscode.TextDocument): void {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document === document && isInOpenPrompt(document, editor.selections))
    void vscode.commands.executeCommand('cursorBottom');
}

function openDocument(uri: string): vscode.TextDocument | undefined {
  const key = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === key);
}

function toPosition({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

function isAnswer(argument: unknown): argument is AnswerArgument {
  return typeof (argument as { permission?: unknown } | null | undefined)?.permission === 'string';
}
