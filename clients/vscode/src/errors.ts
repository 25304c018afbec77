// What a command that fails shows: the server's words with a way to the log, once.

import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { NotRunningError, Session } from './server/session';

export function isCancelled(error: unknown): boolean {
  const code = error instanceof ResponseError ? error.code : undefined;
  return error instanceof vscode.CancellationError || code === LSPErrorCodes.RequestCancelled || code === LSPErrorCodes.ServerCancelled;
}

/** The server's message without the number of the request, which is for the log. */
export function words(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return said.replace(/ \(request [\d-]+\)$/, '');
}

export async function show(error: unknown, session: Session): Promise<void> {
  if (isCancelled(error)) {
    return;
  }
  if (error instanceof NotRunningError) {
    await offerStart(session);
    return;
  }
  session.log.error(error instanceof Error ? error.message : String(error));
  const log = vscode.l10n.t('Show log');
  if ((await vscode.window.showErrorMessage(`Postil: ${words(error)}`, log)) === log) {
    session.log.show();
  }
}

/** Why nothing can be asked now, with the button that changes it. */
export async function offerStart(session: Session): Promise<void> {
  const buttons: Partial<Record<typeof session.phase.is, [string, string]>> = {
    untrusted: [vscode.l10n.t('Manage trust'), 'workbench.trust.manage'],
    missing: [vscode.l10n.t('Set up Postil'), 'postil.setUp'],
    failed: [vscode.l10n.t('Restart'), 'postil.restart'],
    stopped: [vscode.l10n.t('Start'), 'postil.restart'],
  };
  const [label, command] = buttons[session.phase.is] ?? [undefined, ''];
  const said = `Postil: ${session.words()}`;
  const chosen = label ? await vscode.window.showWarningMessage(said, label) : await vscode.window.showInformationMessage(said);
  if (chosen) {
    await vscode.commands.executeCommand(command);
  }
}
