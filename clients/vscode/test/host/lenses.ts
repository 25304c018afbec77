import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { api, closeAll, eventually, file, instead, open, run, test } from './harness';

const of = (relative: string) => ({ textDocument: { uri: file(relative).toString() } });
const allTabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));

test('the lens of the links to a note shows them in the editor\'s own list', async () => {
  await open('docs/retries.md');
  await run('postil.backlinks', of('docs/retries.md'));
  const peeked = () => vscode.window.visibleTextEditors.filter(({ viewColumn }) => viewColumn === undefined).map(({ document }) => vscode.workspace.asRelativePath(document.uri));
  const [first] = await eventually(() => (peeked().length ? peeked() : undefined), 'no list is open');
  const text = (await vscode.workspace.openTextDocument(file(first!))).getText();
  assert.notEqual(first, 'docs/retries.md');
  assert.match(text, /\[\[(docs\/)?retries\b|\]\([^)]*retries\.md/i);
  await run('closeReferenceSearch');
  await closeAll();
});

test('the lens of a definition\'s history asks for its lines alone', async () => {
  const { history } = await api();
  const { document } = await open('millrace/retry.py');
  const at = document.getText().split('\n').findIndex((line) => line.includes('def '));
  const range = { start: { line: at, character: 0 }, end: { line: at + 1, character: 0 } };
  await run('postil.history', { ...of('millrace/retry.py'), range });
  assert.deepEqual(history.commits.map(({ subject }) => subject), ['Add RetryPolicy with exponential backoff']);
});

test('a filter is chosen from the list, and its value given in the box', async () => {
  const { history } = await api();
  await run('postil.historyQuery', 'lease');
  const offered: string[] = [];
  const restore = [
    instead('showQuickPick', async (items: readonly (vscode.QuickPickItem & { name: string })[]) => {
      offered.push(...items.map(({ name }) => name));
      return items.find(({ name }) => name === 'author');
    }),
    instead('showInputBox', async () => ' Jonas '),
  ];
  try {
    await run('postil.history.addFilter');
  } finally {
    restore.forEach((put) => put());
  }
  assert.equal(offered[0], 'author');
  assert.equal(history.filters['author'], 'Jonas');
  assert.ok(history.commits.length > 0 && history.commits.every(({ author }) => author.startsWith('Jonas')));
});

test('the group of backlinks, opened, lists the lines that link to the note', async () => {
  const { related } = await api();
  await open('docs/retries.md', 3);
  await run('postil.related');
  await eventually(() => related.view.description?.startsWith('docs/retries.md'), related.view.description);
  const group = (await related.getChildren()).find((node) => 'label' in node && node.label === 'Backlinks')!;
  const inside = await related.getChildren(group);
  assert.ok(inside.length > 0);
  for (const node of inside) {
    const item = related.getTreeItem(node);
    const [, name, line] = /^(.+):(\d+)$/.exec(String(item.label))!;
    const text = (await vscode.workspace.openTextDocument(file(name!))).lineAt(Number(line) - 1).text;
    assert.match(text, /retries/i);
  }
  await closeAll();
});

test('what is typed into the search brings its hits, and none when it is taken away', async () => {
  const picker = await run<vscode.QuickPick<vscode.QuickPickItem>>('postil.search');
  try {
    picker.value = 'exponential backoff';
    await eventually(() => picker.items.some(({ description }) => description?.startsWith('millrace/retry.py:')), () => JSON.stringify(picker.items.map(({ label, description }) => [label, description])));
    assert.ok(picker.items.every(({ label, alwaysShow }) => /^\$\((note|symbol-method|git-commit)\) \S/.test(label) && alwaysShow));
    picker.value = '';
    await eventually(() => picker.items.length === 0, 'the hits stay');
  } finally {
    picker.hide();
  }
});

test('the settings of the models open', async () => {
  await closeAll();
  await run('postil.modelSettings');
  await eventually(() => allTabs().includes('Settings'), () => allTabs().join());
  await closeAll();
});

test('the first steps are four, and their page opens', async () => {
  const { packageJSON } = vscode.extensions.getExtension('postil.postil')!;
  const [walkthrough] = (packageJSON as { contributes: { walkthroughs: { title: string; steps: { id: string }[] }[] } }).contributes.walkthroughs;
  assert.deepEqual(walkthrough!.steps.map(({ id }) => id), ['setUp', 'hover', 'ask', 'history']);
  await run('postil.walkthrough');
  await eventually(() => allTabs().some((label) => label.includes('Walkthrough')), () => allTabs().join());
  await closeAll();
});
