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
const showAll = '$(open-preview) Show all of it';
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

  static async show(turn: Turn): Promise<void> {
    const question = turn.permission;
    if (!question) return;
    const text = `${turn.agent} wants to use ${question.tool}\n\n${question.detail}\n`;
    const uri = vscode.Uri.from({
      scheme: QuestionDocuments.scheme,
      path: `/${question.tool.replace(/[^\w.-]+/g, '-')}`,
      query: text,
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
  if (shown !== question.detail) items.push({ label: showAll });
  const choice = await vscode.window.showQuickPick(items, {
    title: `${turn.agent} wants to use ${question.tool}`,
    placeHolder: shown,
  });
  if (choice?.label === showAll) {
    await QuestionDocuments.show(turn);
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
