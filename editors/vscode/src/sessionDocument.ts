// Recognises session documents: markdown whose front matter has a key of agent-doc. The keys and
// buttons appear only there. The server uses the same rule for code lenses. This is not a YAML
// parser.
import * as vscode from 'vscode';

const tellingKeys = /^(agent_doc_\w+|session|resume|agent|model|response_mode|forked_from)\s*:/;
const maxFrontMatterLines = 200;

/** Whether the server can work with this document. */
export function isMarkdownFile(document: vscode.TextDocument): boolean {
  return document.languageId === 'markdown' && document.uri.scheme === 'file';
}

/** Returns the agent that the front matter names, or an empty string. */
export function agentOf(document: vscode.TextDocument): string {
  if (document.lineAt(0).text.trimEnd() !== '---') return '';
  for (let line = 1; line < Math.min(document.lineCount, maxFrontMatterLines); ++line) {
    const text = document.lineAt(line).text;
    if (/^(---|\.\.\.)\s*$/.test(text)) return '';
    const named = /^agent\s*:\s*["']?([^"'#\s]+)/.exec(text)?.[1];
    if (named !== undefined) return named;
  }
  return '';
}

export function isSessionDocument(document: vscode.TextDocument): boolean {
  if (!isMarkdownFile(document) || document.lineAt(0).text.trimEnd() !== '---') return false;
  let telling = false;
  for (let line = 1; line < Math.min(document.lineCount, maxFrontMatterLines); ++line) {
    const text = document.lineAt(line).text;
    if (/^(---|\.\.\.)\s*$/.test(text)) return telling;
    telling ||= tellingKeys.test(text);
  }
  return false;
}
