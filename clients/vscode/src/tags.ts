// Tags and a summary for a note: proposed by the server as an edit of its front matter, made when the user wants it.

import * as vscode from 'vscode';
import type { WorkspaceEdit } from 'vscode-languageserver-types';
import type { Session } from './server/session';

interface Proposal {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly model: string;
  readonly edit: WorkspaceEdit | null;
}

export async function suggestTags(session: Session): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'markdown') {
    void vscode.window.showInformationMessage(vscode.l10n.t('Open the note that is to get tags.'));
    return;
  }
  const params = { textDocument: { uri: document.uri.toString() } };
  const location = vscode.ProgressLocation.Window;
  const ask = () => session.request<Proposal>('postil/tags', params);
  const found = await vscode.window.withProgress({ location, title: vscode.l10n.t('Looking for tags…') }, ask);
  if (!found.edit) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is nothing to add: no other note suggests a tag.'));
    return;
  }
  const add = vscode.l10n.t('Add to the note');
  const said = [found.tags.map((tag) => `#${tag}`).join(' '), found.summary].filter(Boolean).join('\n');
  if ((await vscode.window.showInformationMessage(said, add)) === add) {
    await session.apply(found.edit);
  }
}
