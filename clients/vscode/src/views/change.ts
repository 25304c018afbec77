// What a commit changed in a file, in the editor's own diff view.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../server/session';

interface Change {
  readonly before: string | null; // URIs of documents; null where the file was not there
  readonly after: string | null;
}

const EMPTY = 'postil-empty';

export async function openChange(session: Session, sha: string, uri: string, line: number): Promise<void> {
  const change = await session.request<Change>('postil/change', { sha, textDocument: { uri } });
  const name = path.basename(vscode.Uri.parse(uri).fsPath);
  const [before, after] = [change.before, change.after].map((side) => (side ? vscode.Uri.parse(side) : vscode.Uri.from({ scheme: EMPTY, path: `/${name}` })));
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.commands.executeCommand('vscode.diff', before, after, `${name} · ${sha.slice(0, 10)}`, { selection, preview: true });
}

/** The side of a comparison on which the file was not there. */
export function emptyDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(EMPTY, { provideTextDocumentContent: () => '' });
}
