// Shows an agent's permission question as a list, for people who missed or closed the notification,
// and the whole question as a read-only document. Closing the list leaves the question open.
import * as vscode from 'vscode';

import type { AnswerArgument, Turn } from './protocol';

const icons = {
  allow_once: '$(check)',
  allow_always: '$(check-all)',
  widen: '$(warning)',
  deny: '$(circle-slash)',
} as const;
/** The button of a long question; the server adds it to the notification under this name. */
export const showAll = 'Show all of it';
const showAllItem = `$(open-preview) ${showAll}`;
/** A list shows so many characters from the beginning and the end of a question. */
const begin = 80;
const end = 40;

/** Provides whole questions as documents. The path of a URI names the tool, its query is the text.
 * */
export class QuestionDocuments implements vscode.TextDocumentContentProvider {
  static readonly scheme = 'agent-doc-question';

  provideTextDocumentContent(uri: vscode.Uri): string {
    return uri.query;
  }

  static async show(agent: string, tool: string, detail: string): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: QuestionDocuments.scheme,
      path: `/${tool.replace(/[^\w.-]+/g, '-')}`,
      query: `${agent} wants to use ${tool}\n\n${detail}\n`,
    });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), {
      preview: true,
    });
  }
}

export async function askPermission(turn: Turn): Promise<AnswerArgument | undefined> {
  const question = turn.permission;
  if (!question) return undefined;
  const shown = short(question.detail);
  const items: { label: string; id?: string }[] = question.options.map(({ id, label, kind }) => ({
    label: `${icons[kind] ?? icons.widen} ${label}`,
    id,
  }));
  if (shown !== question.detail) items.push({ label: showAllItem });
  const choice = await vscode.window.showQuickPick(items, {
    title: `${turn.agent} wants to use ${question.tool}`,
    placeHolder: shown,
  });
  if (choice?.label === showAllItem) {
    await QuestionDocuments.show(turn.agent, question.tool, question.detail);
    return undefined;
  }
  return choice?.id === undefined
    ? undefined
    : { turn: turn.turn, permission: question.id, option: choice.id };
}

/** Shortens a question to one line, which is all that a list can show. */
function short(detail: string): string {
  const characters = [...detail.replace(/\n/g, ' ')];
  if (characters.length <= begin + end) return characters.join('');
  return `${characters.slice(0, begin).join('')} <… ${characters.length - begin - end} characters are left out here …> ${characters.slice(-end).join('')}`;
}
