import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { WorkspaceEdit } from 'vscode-languageserver-types';
import type { Answer } from '../../src/answer/state';
import { api, closeAll, eventually, file, open, run, test } from './harness';

async function settled() {
  const { asking } = await api();
  return eventually(() => {
    const turn = asking.thread.at(-1);
    return turn && turn.phase !== 'running' ? turn : undefined;
  });
}

test('a question is answered from the notes, sources first', async () => {
  await open('docs/design.md');
  void run('postil.ask', 'how long is a lease before it runs out?');
  const turn = await settled();
  assert.equal(turn.phase, 'done', turn.status);
  assert.ok(turn.sources.length > 0 && turn.sources.every(({ number }) => turn.text.includes(`[${number}]`)));
  assert.ok(turn.sources.some(({ uri }) => uri.endsWith('lease%20protocol.md')));
});

test('a source opens the file at its line, beside the panel', async () => {
  const { asking } = await api();
  const turn = asking.thread.at(-1)!;
  const source = turn.sources.find(({ sha }) => !sha)!;
  await asking.openSource(turn, source.number);
  const editor = await eventually(() => {
    const shown = vscode.window.activeTextEditor;
    return shown?.document.uri.toString() === source.uri ? shown : undefined;
  }, 'it is not open');
  assert.equal(editor.selection.active.line, source.range.start.line);
  assert.notEqual(editor.viewColumn, asking.panel.column);
});

test('a follow-up keeps what was said before', async () => {
  const { asking } = await api();
  await asking.followUp('and who extends it?');
  assert.equal((await settled()).title, 'and who extends it?');
  assert.equal(asking.thread.length, 2);
});

test('an answer goes into the note at the cursor, with its sources', async () => {
  const { asking } = await api();
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: '' });
  await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  await run('postil.answer.insert');
  const last = asking.thread.at(-1)!;
  assert.ok(document.getText().includes('**Sources**'), document.getText());
  assert.ok(document.getText().startsWith(last.text.trim().slice(0, 20)), document.getText());
  await run('workbench.action.revertAndCloseActiveEditor');
});

test('an answer becomes a note', async () => {
  const { asking } = await api();
  const target = file('notes/an answer.md');
  await asking.saveAs(asking.thread[0]!, target);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(target));
  assert.match(text, /^# how long is a lease before it runs out\?\n\n/);
  assert.match(text, /- \[1\] \[[^\]]+:\d+\]\(\.\.\/[^)]+\)/);
  await run('workbench.action.closeActiveEditor');
  await vscode.workspace.fs.delete(target);
});

test('what the workspace does not have is said, with the nearest passages', async () => {
  void run('postil.ask', 'zyzzyva quokka wombat?');
  const turn = await settled();
  assert.equal(turn.finish, 'not_found');
  assert.deepEqual(turn.sources, []);
});

test('a question about the selection takes the selection with it', async () => {
  const editor = await open('millrace/retry.py');
  editor.selection = new vscode.Selection(0, 0, 20, 0);
  void run('postil.askSelection', 'what is this for?');
  const turn = await settled();
  assert.equal(turn.phase, 'done', turn.status);
  assert.ok(turn.sources.some(({ uri }) => uri.endsWith('retry.py')), JSON.stringify(turn.sources.map(({ uri }) => uri)));
});

for (const [name, title, ask] of [
  ['a file', 'Summary of docs/design.md', () => run('postil.summariseFile', file('docs/design.md'))],
  ['a file, from its lens', 'Summary of docs/glossary.md', () => run('postil.summarise', { textDocument: { uri: file('docs/glossary.md').toString() } })],
  ['a selection', 'Summary of docs/retries.md:9-17', async () => {
    const editor = await open('docs/retries.md');
    editor.selection = new vscode.Selection(8, 0, 16, 0);
    await run('postil.summariseSelection');
  }],
  ['a folder', 'Summary of docs', () => run('postil.summariseFolder', file('docs'))],
  ['recent changes', 'Summary of changes since 2024-04-01', () => run('postil.summariseRecent', '2024-04-01')],
] as const) {
  test(`${name} is summarised`, async () => {
    const { asking } = await api();
    asking.fresh();
    await ask();
    assert.deepEqual(asking.thread.map((turn) => turn.title), [title]);
    const turn = await settled();
    assert.equal(turn.phase, 'done', turn.status);
    assert.ok(turn.text.length > 40, turn.text);
  });
}

test('an answer of before is shown again', async () => {
  const { session, asking } = await api();
  const { answers } = await session.request<{ answers: { question: string; answer: Answer }[] }>('postil/past', { limit: 20 });
  const past = answers.find(({ question }) => question === 'how long is a lease before it runs out?')!;
  asking.showPast(past.question, past.answer);
  const [turn] = asking.thread;
  assert.deepEqual([turn!.title, turn!.phase, turn!.text], [past.question, 'done', past.answer.text]);
  await asking.openSource(turn!, turn!.sources[0]!.number);
});

test('a thumb is kept with the answer', async () => {
  const { asking } = await api();
  await asking.act('good');
  assert.equal(asking.thread.at(-1)!.verdict, 'good');
});

test('tags are proposed as an edit of the front matter', async () => {
  const { session } = await api();
  const { document } = await open('docs/retries.md');
  const params = { textDocument: { uri: document.uri.toString() } };
  const found = await session.request<{ tags: string[]; edit: WorkspaceEdit | null }>('postil/tags', params);
  assert.ok(found.edit, JSON.stringify(found));
  const before = document.getText();
  await session.apply(found.edit);
  assert.notEqual(document.getText(), before);
  assert.ok(document.getText().endsWith(before.slice(-200)));
  await run('workbench.action.files.revert');
});

test('closing the panel ends nothing but the view', async () => {
  const { asking } = await api();
  await closeAll();
  await eventually(() => !asking.panel.open);
  asking.panel.show();
  assert.ok(asking.thread.length > 0);
  await closeAll();
});
