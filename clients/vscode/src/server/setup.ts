// The one button: make the private environment with progress, and start the server in it.

import * as vscode from 'vscode';
import { makeEnvironment } from './environment';
import { ProblemError } from './problems';
import { said } from './said';
import { Session } from './session';

let running: Promise<void> | undefined; // of this window; a second press joins the first

export function setUp(context: vscode.ExtensionContext, session: Session): Promise<void> {
  return (running ??= make(context, session).finally(() => (running = undefined)));
}

async function make(context: vscode.ExtensionContext, session: Session): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    session.phase = { is: 'untrusted' };
    return;
  }
  await session.stop(); // on Windows a running program can't be replaced
  session.phase = { is: 'settingUp' };
  const location = vscode.ProgressLocation.Notification;
  try {
    await vscode.window.withProgress({ location, title: vscode.l10n.t('Setting up Postil'), cancellable: true }, async (progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      await makeEnvironment({
        ...session.places(),
        wheels: vscode.Uri.joinPath(context.extensionUri, 'wheel').fsPath,
        version: versionOf(context),
        interpreter: vscode.workspace.getConfiguration('postil').inspect<string>('server.interpreter')?.globalValue ?? '',
        proxy: vscode.workspace.getConfiguration('http').inspect<string>('proxy')?.globalValue ?? '',
        report: (line) => {
          session.log.info(line);
          progress.report({ message: short(line) });
        },
        signal: stop.signal,
      });
    });
  } catch (error) {
    await report(error, session);
    return;
  }
  await session.restart();
}

async function report(error: unknown, session: Session): Promise<void> {
  const problem = error instanceof ProblemError ? error.problem : { code: 'failed' as const, detail: String(error) };
  session.log.error(`${problem.code}: ${problem.detail}`);
  session.phase = { is: 'missing', problem };
  const again = vscode.l10n.t('Try again');
  const log = vscode.l10n.t('Show log');
  void vscode.window.showErrorMessage(`Postil: ${said(problem)}`, again, log).then((chosen) => {
    if (chosen === again) {
      void vscode.commands.executeCommand('postil.setUp');
    } else if (chosen === log) {
      session.log.show();
    }
  });
}

/** What a step says, without addresses and paths of a screen's length. */
function short(line: string): string {
  const words = line.trim().replace(/ @ file:\S+/, '').replace(/\s*\(from .*$/, '');
  return words.length > 60 ? `${words.slice(0, 59)}…` : words;
}

export function versionOf(context: vscode.ExtensionContext): string {
  return (context.extension.packageJSON as { version: string }).version;
}

/** Name a server that is of another version than the extension, with what to do. */
export async function compareVersions(context: vscode.ExtensionContext, session: Session): Promise<void> {
  const [server, extension] = [session.version, versionOf(context)];
  if (!server || server === extension) {
    return;
  }
  const own = session.found?.from === 'own';
  const text = vscode.l10n.t('Postil\'s server ({0}) is version {1}, the extension is version {2}.', session.found?.command ?? '', server, extension);
  const button = own ? vscode.l10n.t('Update the server') : vscode.l10n.t('Use a private environment');
  if ((await vscode.window.showWarningMessage(text, button)) === button) {
    await vscode.commands.executeCommand('postil.setUp');
  }
}
