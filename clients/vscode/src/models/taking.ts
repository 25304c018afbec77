// Going over to another model: a language model by this editor's settings, an embedding model by the server.

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isCancelled } from '../errors';
import type { Session } from '../server/session';

export interface LanguageChoice {
  readonly provider: string;
  readonly name: string;
  readonly endpoint: string;
}

/** Fetch it where it is not here, try it and set it. The server's words where that fails. */
export async function takeModel(session: Session, setting: string): Promise<void> {
  const title = vscode.l10n.t('Postil: taking {0}', setting);
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
    const workDoneToken = randomUUID();
    const listening = session.onWork(workDoneToken, (message) => progress.report({ message }));
    try {
      await session.request('postil/takeModel', { setting, workDoneToken }, token);
    } catch (error) {
      if (!isCancelled(error)) {
        throw error;
      }
      return;
    } finally {
      listening.dispose();
    }
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} is set. Its vectors are made now; the old ones answer until they are complete.', setting));
  });
}

/** The user's own settings: a workspace's can't name a model. The server has them when this is done. */
export async function useLanguageModel(session: Session, { provider, name, endpoint }: LanguageChoice): Promise<void> {
  const config = vscode.workspace.getConfiguration('postil.llm');
  const standard = provider === 'ollama' && /^http:\/\/(127\.0\.0\.1|localhost):11434\/?$/.test(endpoint);
  const values = provider ? { endpoint: standard ? '' : endpoint, model: name, provider } : { provider };
  await session.startSettings.together(async () => {
    for (const [key, value] of Object.entries(values)) {
      await config.update(key, value, vscode.ConfigurationTarget.Global);
    }
  });
}
