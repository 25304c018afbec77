// Wires the client together: one server session, the views that ask it, the commands that open them.

import * as vscode from 'vscode';
import { Asking } from './answer/asking';
import { register } from './commands';
import { firstHover } from './server/firsthover';
import { NOTES } from './server/rest';
import { compareVersions, setUp } from './server/setup';
import { Session } from './server/session';
import { StatusBar } from './status/bar';
import { StatusPage } from './status/page';
import { ModelsPage } from './models/page';
import { emptyDocuments } from './views/change';
import { HistoryView } from './views/history';
import { linkDrop, RelatedView } from './views/related';

/** For tests in the editor: what its views hold. */
export interface Api {
  readonly session: Session;
  readonly asking: Asking;
  readonly related: RelatedView;
  readonly history: HistoryView;
  readonly bar: StatusBar;
  readonly page: StatusPage;
  readonly models: ModelsPage;
}

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const log = vscode.window.createOutputChannel('Postil', { log: true });
  const session = new Session(context, log);
  const asking = new Asking(context.extensionUri, session);
  const related = new RelatedView(context, session);
  const history = new HistoryView(session);
  const bar = new StatusBar(session);
  const page = new StatusPage(context.extensionUri, session);
  const models = new ModelsPage(context.extensionUri, session);
  context.subscriptions.push(
    log, session, asking, related, history, bar, page, models,
    session.onDidChange(({ is }) => is === 'running' && void compareVersions(context, session)),
    register({ session, asking, related, history, openStatus: () => page.open(), openModels: () => models.open() }),
    vscode.commands.registerCommand('postil.setUp', () => setUp(context, session)),
    firstHover(session),
    vscode.languages.registerDocumentDropEditProvider(NOTES, linkDrop),
    emptyDocuments(),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void session.start()),
  );
  // not awaited: the commands are there at once, and say what the server does
  void session.start();
  return { session, asking, related, history, bar, page, models };
}

export function deactivate(): void {
  // the subscriptions are disposed of by the editor, the session among them
}
