// Finds the text that was typed between the key of Run and the moment when this extension was up.
// Until then, only the window can note where the key was pressed: the keybinding sets the selection
// anchor. It does so one character to the left of the cursor, because typing would move an anchor
// at the cursor itself. PromptEnd separates text that is typed later.
import * as vscode from 'vscode';

import { isInOpenPrompt } from './openPrompt';

/** Each key in between makes an edit fail; after so many failures we give up. */
const maxTries = 20;

/**
 * Removes the anchor and moves the typed text to the end of the open prompt. Returns the offset at
 * which it begins, or undefined if the cursor was elsewhere.
 */
export async function typedSinceKey(document: vscode.TextDocument): Promise<number | undefined> {
  const selection = await fromAnchorToCursor(document);
  const editor = vscode.window.activeTextEditor;
  if (!selection || editor?.document !== document || !selection.anchor.isBefore(selection.active))
    return undefined;
  const key = afterCharacter(document, selection.anchor);
  if (!isInOpenPrompt(document, [new vscode.Selection(key, key)])) return undefined;
  return toTheEnd(editor, key);
}

/** Selects and deselects in one step of the window: no key comes while the text is selected. */
async function fromAnchorToCursor(
  document: vscode.TextDocument,
): Promise<vscode.Selection | undefined> {
  let selected: vscode.Selection | undefined;
  const subscription = vscode.window.onDidChangeTextEditorSelection(
    ({ textEditor, selections }) => {
      const [first] = selections;
      if (textEditor.document === document && first && !first.isEmpty) selected = first;
    },
  );
  try {
    await vscode.commands.executeCommand('runCommands', {
      commands: ['editor.action.selectFromAnchorToCursor', 'cancelSelection'],
    });
  } finally {
    subscription.dispose();
  }
  return selected;
}

/** Returns the position to which the cursor would move to the right. */
function afterCharacter(document: vscode.TextDocument, position: vscode.Position): vscode.Position {
  const line = document.lineAt(position.line).text.slice(position.character);
  const [first] = new Intl.Segmenter().segment(line);
  return first
    ? position.translate(0, first.segment.length)
    : new vscode.Position(position.line + 1, 0);
}

/**
 * Moves the text after the cursor to `key`, before the typed text. Neither the typed text nor the
 * cursor is touched, so a key may come at any moment.
 */
async function toTheEnd(
  editor: vscode.TextEditor,
  key: vscode.Position,
): Promise<number | undefined> {
  const { document } = editor;
  for (let tries = 0; tries < maxTries; ++tries) {
    const rest = new vscode.Range(
      editor.selection.active,
      document.positionAt(document.getText().length),
    );
    const from = document.offsetAt(key) + document.getText(rest).length;
    if (rest.isEmpty) return from;
    const moved = await editor.edit((edit) => {
      edit.insert(key, document.getText(rest));
      edit.delete(rest);
    });
    if (moved) return from;
  }
  return undefined;
}
