// What the tests in the extension host share.

import * as vscode from 'vscode';
import type { Api } from '../../src/extension';

export const tests: { readonly name: string; readonly body: () => Promise<void> }[] = [];

export function test(name: string, body: () => Promise<void>): void {
  tests.push({ name, body });
}

const PATIENCE_MS = 60_000; // of a machine that does much else

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

export async function open(relative: string, line = 0, character = 0): Promise<vscode.TextEditor> {
  const at = new vscode.Range(line, character, line, character);
  return vscode.window.showTextDocument(file(relative), { selection: at, viewColumn: vscode.ViewColumn.One });
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
