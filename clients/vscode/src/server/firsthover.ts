// A hover over a note that is asked for while the server starts waits for it, where the editor would have nobody to ask.

import * as vscode from 'vscode';
import { NOTES } from './rest';
import type { Session } from './session';

export function firstHover(session: Session): vscode.Disposable {
  return vscode.languages.registerHoverProvider(NOTES, {
    provideHover: async (document, position, token) => {
      if (session.phase.is !== 'starting') {
        return undefined; // one that runs is asked by its own client
      }
      await started(session, token);
      return token.isCancellationRequested ? undefined : session.hover(document, position, token);
    },
  });
}

/** Settled when the session has started, or will not, or nobody waits any more. */
async function started(session: Session, token: vscode.CancellationToken): Promise<void> {
  const heard: vscode.Disposable[] = [];
  await new Promise<void>((over) => {
    heard.push(session.onDidChange(({ is }) => is !== 'starting' && over()), token.onCancellationRequested(() => over()));
  });
  heard.forEach((each) => each.dispose());
}
