// What the tests in the extension host share.

import * as vscode from 'vscode';
import type { Api } from '../../src/extension';

export const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];

export function test(name: string, body: () => Promise<void>): void {
  tests.push({ name, body });
}

const PATIENCE_MS = 150_000; // of a machine that does much else

/** The first true answer. */
export async function eventually<T>(look: () => T | Promise<T>, what: string | (() => string) = 'it did not happen in time'): Promise<NonNullable<T>> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found) {
      return found;
    }
    if (Date.now() > until) {
      throw new Error(typeof what === 'string' ? what : what());
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function api(): Promise<Api> {
  const extension = vscode.extensions.getExtension<Api>('postil.postil');
  if (!extension) {
    throw new Error('the extension is not installed');
  }
  return extension.activate();
}

export function file(relative: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, relative);
}

/** Once it is the editor at hand: a panel that was asked to show itself before may still take the focus. */
export async function open(relative: string, line = 0, character = 0): Promise<vscode.TextEditor> {
  const selection = new vscode.Range(line, character, line, character);
  return eventually(async () => {
    const editor = await vscode.window.showTextDocument(file(relative), { selection, viewColumn: vscode.ViewColumn.One });
    return vscode.window.activeTextEditor === editor ? editor : undefined;
  }, `${relative} is not at hand`);
}

/** The change that is open, once one is. */
export async function shownChange(): Promise<vscode.TabInputTextDiff> {
  const tab = () => vscode.window.tabGroups.activeTabGroup.activeTab;
  return eventually(() => {
    const input = tab()?.input;
    return input instanceof vscode.TabInputTextDiff ? input : undefined;
  }, () => `the tab is ${tab()?.label}`);
}

/** The user's settings as they were before any test; the server runs with them when this is done. */
export async function forget(section: string, ...keys: readonly string[]): Promise<void> {
  const config = vscode.workspace.getConfiguration(section);
  await (await api()).session.startSettings.together(async () => {
    for (const key of keys) {
      await config.update(key, undefined, vscode.ConfigurationTarget.Global);
    }
  });
}

export async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

export const run = <T>(command: string, ...given: unknown[]) => vscode.commands.executeCommand<T>(command, ...given);

/** The editor's own dialog answered by the test, until what it returns is called. */
export function instead<K extends 'showWarningMessage' | 'showInputBox' | 'showQuickPick'>(name: K, answer: (...given: never[]) => Promise<unknown>): () => void {
  const { [name]: real } = vscode.window;
  Object.assign(vscode.window, { [name]: answer });
  return () => void Object.assign(vscode.window, { [name]: real });
}
