import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Rest } from '../../src/server/rest';
import { eventually, test } from './harness';

const content = (language: string) => vscode.workspace.openTextDocument({ language, content: 'Some words.\n' });

/** What the work came to, once it took less than a rest: what is told of keys is true of that alone. */
async function withinARest<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const began = performance.now();
    const found = await work();
    if (performance.now() - began < 250) {
      return found;
    }
  }
}

test('what the editor asks by itself waits for the end of typing, and what a person asks does not', async () => {
  const { middleware } = new Rest();
  const document = await content('markdown');
  const { token } = new vscode.CancellationTokenSource();
  let changedAt = 0; // no later than the middleware's own time of the last change
  const change = () => middleware.didChange!({ document, contentChanges: [], reason: undefined }, async () => {
    changedAt = performance.now();
  });
  const { asked, waited } = await withinARest(async () => {
    const [asked, waited]: [string[], number[]] = [[], []];
    const ask = (what: string) => () => {
      asked.push(what);
      waited.push(performance.now() - changedAt);
      return undefined;
    };
    const actions = (triggerKind: vscode.CodeActionTriggerKind, what: string) =>
      middleware.provideCodeActions!(document, new vscode.Range(0, 0, 0, 0), { triggerKind, diagnostics: [], only: undefined }, token, ask(what));
    await change();
    void middleware.provideCodeLenses!(document, token, ask('lenses'));
    void middleware.provideDocumentSymbols!(document, token, ask('symbols'));
    void actions(vscode.CodeActionTriggerKind.Automatic, 'actions');
    void actions(vscode.CodeActionTriggerKind.Invoke, 'actions of a person');
    return { asked, waited };
  });
  assert.deepEqual(asked, ['actions of a person']);
  await new Promise((later) => setTimeout(later, 100));
  await change(); // one more key: what waits begins to wait anew
  await eventually(() => asked.length === 4, () => asked.join());
  assert.deepEqual(asked.slice(1).sort(), ['actions', 'lenses', 'symbols']);
  assert.ok(waited.slice(1).every((milliseconds) => milliseconds >= 250), waited.join());
});

test('what was given up meanwhile is not asked', async () => {
  const { middleware } = new Rest();
  const document = await content('markdown');
  const { asked, lenses } = await withinARest(async () => {
    const asked: string[] = [];
    const source = new vscode.CancellationTokenSource();
    await middleware.didChange!({ document, contentChanges: [], reason: undefined }, async () => undefined);
    const lenses = middleware.provideCodeLenses!(document, source.token, () => void asked.push('lenses'));
    source.cancel();
    return { asked, lenses };
  });
  assert.equal(await lenses, undefined);
  assert.deepEqual(asked, []);
});

test('completion is asked for at once in a link that is begun, and after a rest in prose', async () => {
  const { middleware } = new Rest();
  const token = new vscode.CancellationTokenSource().token;
  const { Invoke, TriggerCharacter } = vscode.CompletionTriggerKind;
  for (const [text, triggerKind, atOnce] of [
    ['some wor', Invoke, false], ['done [[Lease]] wor', Invoke, false],
    ['see [[Lea', Invoke, true], ['see [it](doc', Invoke, true], ['tagged #lea', Invoke, true], ['x/', TriggerCharacter, true],
  ] as const) {
    const document = await vscode.workspace.openTextDocument({ language: 'plaintext', content: text });
    let asked = 0;
    const before = await withinARest(async () => {
      asked = 0;
      await middleware.didChange!({ document, contentChanges: [], reason: undefined }, async () => undefined);
      const context = { triggerKind, triggerCharacter: undefined };
      void middleware.provideCompletionItem!(document, new vscode.Position(0, text.length), context, token, () => void (asked += 1));
      return asked;
    });
    assert.equal(before, atOnce ? 1 : 0, text);
    await eventually(() => asked > 0, text);
  }
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
