// Opening what an answer points at: a file at its line, a commit as it was.

import * as vscode from 'vscode';
import type { Place } from './protocol';

/** A commit has a page of its own. */
export type Target = Place & { readonly document?: string };

export async function openPlace(place: Target, column?: vscode.ViewColumn): Promise<vscode.TextEditor> {
  const line = place.document ? 0 : place.range.start.line;
  const selection = new vscode.Range(line, 0, line, 0);
  return vscode.window.showTextDocument(vscode.Uri.parse(place.document ?? place.uri), {
    selection,
    preview: true,
    ...(column !== undefined && { viewColumn: column }),
  });
}

/** With the lines selected, as far as the document has them. */
export async function openLines({ uri, range: { start, end } }: Place): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const selection = document.validateRange(new vscode.Range(start.line, 0, end.line - 1, Number.MAX_SAFE_INTEGER));
  return vscode.window.showTextDocument(document, { selection, preview: true });
}
