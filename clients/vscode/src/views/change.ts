// What a commit changed in a file, in the editor's own diff view.

import * as path from 'node:path';
import * as vscode from 'vscode';
import { openPlace } from '../places';
import type { Commit } from '../protocol';
import type { Session } from '../server/session';

interface Change {
  readonly before: string | null; // URIs of documents; null where the file was not there
  readonly after: string | null;
}

const EMPTY = 'postil-empty';
const MOST_FILES = 50; // of one commit at once; each is two documents to read
const START = { line: 0, character: 0 };

export async function openChange(session: Session, sha: string, uri: string, line: number, column?: vscode.ViewColumn): Promise<void> {
  const [before, after] = await sides(session, sha, uri);
  const selection = new vscode.Range(line, 0, line, 0);
  const options = { selection, preview: true, ...(column !== undefined && { viewColumn: column }) };
  await vscode.commands.executeCommand('vscode.diff', before, after, `${nameOf(uri)} · ${sha.slice(0, 10)}`, options);
}

/** All that a commit changed: of one file at its first lines, of several in one editor; where nothing can be compared, its page. */
export async function openCommit(session: Session, { sha, subject, files, hunks, document }: Commit): Promise<void> {
  const listed = files.slice(0, MOST_FILES);
  const compared = await Promise.allSettled(listed.map(async (uri) => [vscode.Uri.parse(uri), ...(await sides(session, sha, uri))] as const));
  const changes = compared.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const refused = compared.find((one) => one.status === 'rejected');
  const [only] = changes;
  if (only && files.length === 1) {
    await openChange(session, sha, files[0]!, hunks[0]?.range.start.line ?? 0);
  } else if (only) {
    const title = [subject, sha.slice(0, 10), changes.length < files.length && vscode.l10n.t('{0} of {1} files', changes.length, files.length)];
    await vscode.commands.executeCommand('vscode.changes', title.filter(Boolean).join(' · '), changes);
  } else if (document) {
    await openPlace({ uri: document, document, range: { start: START, end: START } });
  } else if (refused) {
    throw refused.reason;
  }
}

/** A file before and after a commit. Raises the server's error where it has none of it. */
async function sides(session: Session, sha: string, uri: string): Promise<readonly [vscode.Uri, vscode.Uri]> {
  const { before, after } = await session.request<Change>('postil/change', { sha, textDocument: { uri } });
  const side = (there: string | null) => (there ? vscode.Uri.parse(there) : vscode.Uri.from({ scheme: EMPTY, path: `/${nameOf(uri)}` }));
  return [side(before), side(after)];
}

function nameOf(uri: string): string {
  return path.basename(vscode.Uri.parse(uri).fsPath);
}

/** The side of a comparison on which the file was not there. */
export function emptyDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(EMPTY, { provideTextDocumentContent: () => '' });
}
