import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { FILTERS, Node } from '../../src/views/history';
import { api, closeAll, eventually, file, open, run, shownChange, test } from './harness';

async function asked(command: string, ...given: unknown[]) {
  const { history } = await api();
  await run(command, ...given);
  await eventually(() => history.commits.length > 0, String(history.view.message));
  return history;
}

const is = (kind: Node['is']) => (node: Node) => node.is === kind;

test('a question to the history finds its commit, with filters above it', async () => {
  const history = await asked('postil.historyQuery', 'full jitter');
  assert.equal(history.commits[0]!.subject, 'Rename backoff_policy to retry and add full jitter');
  const nodes = history.getChildren();
  assert.equal(history.getTreeItem(nodes[0]!).label, 'Words');
  const commit = nodes.find(is('commit'))!;
  assert.match(String(history.getTreeItem(commit).description), /^2024-03-13 · Jonas Brandt/);
});

test('a hunk opens the change in the diff editor', async () => {
  const { history } = await api();
  const commit = history.getChildren().find(is('commit'))!;
  const hunk = history.getChildren(commit).find((node) => node.is === 'hunk' && node.hunk.uri.endsWith('millrace/retry.py'))!;
  await run('postil.history.openChange', hunk);
  const input = await shownChange();
  const [before, after] = await Promise.all([input.original, input.modified].map((uri) => vscode.workspace.openTextDocument(uri)));
  assert.doesNotMatch(before!.getText(), /import random/);
  assert.match(after!.getText(), /import random/);
  await closeAll();
});

async function hunkOf(question: string, subject: string, name = '') {
  const history = await asked('postil.historyQuery', question);
  const commit = history.getChildren().find((node) => node.is === 'commit' && node.commit.subject.startsWith(subject))!;
  return { history, hunk: history.getChildren(commit).find((node) => node.is === 'hunk' && node.hunk.uri.endsWith(name))! };
}

/** What is selected in the editor at hand, once that is one of this scheme. */
async function selected(scheme: string) {
  const shown = () => vscode.window.activeTextEditor;
  const { document, selection } = await eventually(() => (shown()?.document.uri.scheme === scheme ? shown() : undefined), () => `${shown()?.document.uri} is shown`);
  return { document, line: selection.start.line, text: document.getText(selection).trim() };
}

test('a hunk opens its lines as they are now and as they were, selected', async () => {
  const { history, hunk } = await hunkOf('off-by-one', 'Fix off-by-one');
  assert.equal(history.getTreeItem(hunk).contextValue, 'hunkNow');
  await run('postil.history.openNow', hunk);
  const now = await selected('file');
  assert.equal(now.document.uri.toString(), file('millrace/retry.py').toString());
  assert.equal(now.text, 'return attempt >= self.max_attempts');
  await run('postil.history.openWas', hunk);
  const was = await selected('postil');
  assert.match(was.document.uri.path, /^\/file\/.*\/millrace\/retry\.py$/);
  assert.equal(was.text, now.text);
  assert.notEqual(was.document.getText(), now.document.getText()); // the file of that day
  await closeAll();
});

test('a hunk whose lines are gone says so, and opens them as they were', async () => {
  const { history, hunk } = await hunkOf('Drop the polling design', 'Drop the polling design');
  const item = history.getTreeItem(hunk);
  assert.equal(item.contextValue, 'hunk'); // there is nothing to open as it is now
  assert.match(String(item.description), / · gone$/);
  await run('postil.history.openWas', hunk);
  const { document, line, text } = await selected('postil');
  assert.equal(line, 0);
  assert.match(text, /^# /);
  assert.equal(text, document.getText().trim()); // the whole page that was dropped
  await closeAll();
});

test('a hunk whose lines were changed later says so', async () => {
  const { history, hunk } = await hunkOf('Add RetryPolicy', 'Add RetryPolicy', 'backoff_policy.py');
  assert.match(String(history.getTreeItem(hunk).description), / · changed since$/);
});

test('a file that a commit added is compared with nothing', async () => {
  const history = await asked('postil.historyQuery', 'Start Millrace, a job queue on Redis');
  const commit = history.getChildren().find((node) => node.is === 'commit' && node.commit.subject.startsWith('Start Millrace'))!;
  await run('postil.history.openChange', history.getChildren(commit)[0]);
  const input = await shownChange();
  assert.equal(input.original.scheme, 'postil-empty');
  await closeAll();
});

test('a filter can be set and taken away', async () => {
  const history = await asked('postil.historyQuery', 'retry');
  const all = history.commits.length;
  await history.setFilter('path', 'web');
  const labels = history.getChildren().filter(is('filter')).map((node) => [history.getTreeItem(node).label, history.getTreeItem(node).description]);
  assert.deepEqual(labels, [['Words', 'retry'], ['Path', 'web']]);
  assert.ok(history.commits.length > 0 && history.commits.length < all);
  await run('postil.history.removeFilter', history.getChildren()[1]);
  assert.equal(history.commits.length, all);
});

test('the history of a file, of a selection and of a symbol', async () => {
  await open('millrace/retry.py', 5);
  assert.ok((await asked('postil.historyFile')).commits.every(({ files }) => files.some((uri) => /retry|backoff/.test(uri))));
  assert.ok((await asked('postil.historySelection')).commits.length > 0);
  const editor = await open('millrace/retry.py');
  const at = editor.document.positionAt(editor.document.getText().indexOf('RetryPolicy') + 3);
  editor.selection = new vscode.Selection(at, at);
  const { commits } = await asked('postil.historySymbol');
  assert.ok(commits.some(({ subject }) => subject === 'Add RetryPolicy with exponential backoff'));
});

test('every filter that is offered has a name', async () => {
  const { history } = await api();
  for (const name of FILTERS) {
    const label = history.getTreeItem({ is: 'filter', name, value: 'x' }).label as string;
    assert.match(label, /^[A-Z]/);
  }
});

test('a question becomes filters that can be seen and edited', async () => {
  const history = await asked('postil.historyQuery', 'author:Maya lease');
  const nodes = history.getChildren().filter(is('filter'));
  const shown = nodes.map((node) => [history.getTreeItem(node).label, history.getTreeItem(node).description]);
  assert.deepEqual(shown, [['Words', 'lease'], ['Author', 'Maya']]);
  assert.ok(history.commits.every(({ author }) => author.startsWith('Maya')));
  await history.setFilter('author', 'Jonas');
  assert.ok(history.commits.length > 0 && history.commits.every(({ author }) => author.startsWith('Jonas')));
});
