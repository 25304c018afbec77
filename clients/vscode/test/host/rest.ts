import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Rest } from '../../src/server/rest';
import { eventually, test } from './harness';

const content = (language: string) => vscode.workspace.openTextDocument({ language, content: 'Some words.\n' });

test('what the editor asks by itself waits for the end of typing, and what a person asks does not', async () => {
  const { middleware } = new Rest();
  const document = await content('markdown');
  const source = new vscode.CancellationTokenSource();
  const asked: string[] = [];
  let changedAt = 0; // no later than the middleware's own time of the last change
  const waited: number[] = [];
  const ask = (what: string) => () => {
    asked.push(what);
    waited.push(performance.now() - changedAt);
    return undefined;
  };
  const change = () => middleware.didChange!({ document, contentChanges: [], reason: undefined }, async () => {
    changedAt = performance.now();
  });
  const actions = (triggerKind: vscode.CodeActionTriggerKind, what: string) =>
    middleware.provideCodeActions!(document, new vscode.Range(0, 0, 0, 0), { triggerKind, diagnostics: [], only: undefined }, source.token, ask(what));
  await change();
  void middleware.provideCodeLenses!(document, source.token, ask('lenses'));
  void middleware.provideDocumentSymbols!(document, source.token, ask('symbols'));
  void actions(vscode.CodeActionTriggerKind.Automatic, 'actions');
  void actions(vscode.CodeActionTriggerKind.Invoke, 'actions of a person');
  assert.deepEqual(asked, ['actions of a person']);
  await new Promise((later) => setTimeout(later, 100));
  await change(); // one more key: what waits begins to wait anew
  await eventually(() => asked.length === 4, asked.join());
  assert.deepEqual(asked.slice(1).sort(), ['actions', 'lenses', 'symbols']);
  assert.ok(waited.slice(1).every((milliseconds) => milliseconds >= 250), waited.join());
});

test('what was given up meanwhile is not asked', async () => {
  const { middleware } = new Rest();
  const document = await content('markdown');
  const source = new vscode.CancellationTokenSource();
  const asked: string[] = [];
  await middleware.didChange!({ document, contentChanges: [], reason: undefined }, async () => undefined);
  const lenses = middleware.provideCodeLenses!(document, source.token, () => void asked.push('lenses'));
  source.cancel();
  assert.equal(await lenses, undefined);
  assert.deepEqual(asked, []);
});

test('keys in code ask for no completion of links', async () => {
  const { middleware } = new Rest();
  const token = new vscode.CancellationTokenSource().token;
  const asked: string[] = [];
  for (const language of ['markdown', 'plaintext', 'python', 'typescript']) {
    const document = await content(language);
    const context = { triggerKind: vscode.CompletionTriggerKind.Invoke, triggerCharacter: undefined };
    middleware.provideCompletionItem!(document, new vscode.Position(0, 1), context, token, () => void asked.push(language));
  }
  assert.deepEqual(asked, ['markdown', 'plaintext']);
});
