// What it is: an agent's permission question as a list to choose from, for those who missed or closed the notification that the server asks for.
// What it is not: an answer by itself. A list that is closed leaves the question open.
import * as vscode from 'vscode';

import type { AnswerArgument, Turn } from './protocol';

const icons = { allow_once: '$(check)', allow_always: '$(check-all)', deny: '$(circle-slash)' } as const;

export async function askPermission(turn: Turn): Promise<AnswerArgument | undefined> {
  const question = turn.permission;
  if (!question) return undefined;
  const items = question.options.map(({ id, label, kind }) => ({ label: `${icons[kind]} ${label}`, id }));
  const choice = await vscode.window.showQuickPick(items, { title: `${turn.agent} wants to use ${question.tool}`, placeHolder: question.detail });
  return choice && { turn: turn.turn, permission: question.id, option: choice.id };
}
