// The links to a note, in the editor's own list of references.

import * as vscode from 'vscode';
import type { Place } from '../protocol';
import type { Session } from '../server/session';

const FENCE = /^(-{3}|\+{3})\s*$/;

export async function backlinks(session: Session, uri: vscode.Uri): Promise<readonly Place[]> {
  const document = await vscode.workspace.openTextDocument(uri);
  const position = { line: firstHeading(document), character: 2 };
  const params = { textDocument: { uri: uri.toString() }, position, context: { includeDeclaration: false } };
  return (await session.request<Place[] | null>('textDocument/references', params)) ?? [];
}

export async function showBacklinks(session: Session, given: string | undefined): Promise<void> {
  const uri = given ? vscode.Uri.parse(given) : vscode.window.activeTextEditor?.document.uri;
  if (!uri) {
    return;
  }
  const found = await backlinks(session, uri);
  if (!found.length) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No note links here.'));
    return;
  }
  const locations = found.map(({ uri: where, range: { start, end } }) => {
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    return new vscode.Location(vscode.Uri.parse(where), range);
  });
  await vscode.commands.executeCommand('editor.action.showReferences', uri, new vscode.Position(0, 0), locations);
}

/** The line of a note's first heading, which stands for all of it; 0 where it has none. */
export function firstHeading(document: Pick<vscode.TextDocument, 'getText'>): number {
  const lines = document.getText().split(/\r\n?|\n/);
  const front = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && FENCE.test(line)) : -1;
  const at = lines.findIndex((line, number) => number > front && (/^#{1,6}\s/.test(line) || (/^(=+|-+)\s*$/.test(lines[number + 1] ?? '') && line.trim() !== '')));
  return Math.max(at, 0);
}
