// Lists the sessions that an agent keeps for a folder, and continues one of them in a document.
// Nothing is cached: the agent is asked each time.
import * as vscode from 'vscode';

import { createSessionDocument } from './newDocument';
import { commands, type Agent, type AgentList, type SessionList } from './protocol';
import type { Server } from './server';
import { isMarkdownFile } from './sessionDocument';

export async function goOnWithSession(server: Server): Promise<void> {
  const agent = await chooseAgent(server);
  if (!agent) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.toString();
  const listed = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Asking ${agent} for its sessions` },
    () =>
      server.execute<SessionList>(commands.sessions, {
        agent,
        ...(folder !== undefined && { folder }),
      }),
  );
  if (listed.sessions.length === 0)
    throw new Error(`${agent} keeps no session for ${listed.folder}.`);
  const items = listed.sessions.map(({ sessionId, title, usedMs }) => ({
    label: title || sessionId,
    description: usedMs === null ? '' : new Date(usedMs).toLocaleString(),
    sessionId,
  }));
  const choice = await vscode.window.showQuickPick(items, {
    title: `Continue a session of ${agent}`,
    matchOnDescription: true,
  });
  if (choice) await resumeIn(agent, choice.sessionId);
}

/** Lets the person choose among the installed agents that list their sessions. */
async function chooseAgent(server: Server): Promise<string | undefined> {
  const { agents } = await server.execute<AgentList>(commands.agents, {});
  const able = agents.filter((agent: Agent) => agent.installed && agent.canList);
  if (able.length === 0)
    throw new Error('No agent that is installed tells other programs which sessions it keeps.');
  if (able.length === 1) return able[0]?.name;
  return vscode.window.showQuickPick(
    able.map(({ name }) => name),
    { title: 'Whose session?' },
  );
}

/** Continues a session in the active document if nothing was asked in it yet, else in a new one. */
async function resumeIn(agent: string, sessionId: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const lines = `agent: ${agent}\nresume: ${sessionId}\n`;
  if (
    !editor ||
    !isMarkdownFile(editor.document) ||
    /^(resume\s*:|## Assistant)/m.test(editor.document.getText())
  )
    return createSessionDocument(lines);
  const { document } = editor;
  const end = endOfFrontMatter(document);
  await editor.edit((builder) => {
    if (end < 0) return builder.insert(new vscode.Position(0, 0), `---\n${lines}---\n\n`);
    for (let line = 1; line < end; ++line) {
      if (/^agent\s*:/.test(document.lineAt(line).text))
        builder.delete(document.lineAt(line).rangeIncludingLineBreak);
    }
    builder.insert(new vscode.Position(end, 0), lines);
  });
}

/** Returns the line that closes the front matter, or -1 if there is none. */
function endOfFrontMatter(document: vscode.TextDocument): number {
  if (document.lineAt(0).text.trimEnd() !== '---') return -1;
  for (let line = 1; line < document.lineCount; ++line)
    if (/^(---|\.\.\.)\s*$/.test(document.lineAt(line).text)) return line;
  return -1;
}
