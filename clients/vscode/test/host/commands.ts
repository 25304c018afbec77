import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { api, closeAll, eventually, file, forget, open, run, test } from './harness';

const accept = () => run('workbench.action.acceptSelectedQuickOpenItem');

/** Accepts what a list or a box of the palette proposes until that has come of it. */
async function accepted<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  return eventually(async () => {
    const found = await look();
    if (!found) {
      await accept();
    }
    return found;
  }, what);
}

test('why a file is not found is said by the command', async () => {
  assert.match(await run<string>('postil.why', file('.git/config')), /^\.git\/config is left out/);
});

test('tags are added to the note once the user says so', async () => {
  const { document } = await open('docs/retries.md');
  const before = document.getText();
  void run('postil.suggestTags');
  await eventually(async () => {
    await run('notification.acceptPrimaryAction');
    return document.getText() !== before;
  }, 'no tags were added');
  assert.ok(document.getText().endsWith(before.slice(-200)));
  assert.match(document.getText(), /^---\n[^]*tags:/);
  await run('workbench.action.files.revert');
});

test('an answer of before is chosen from a list', async () => {
  const { asking } = await api();
  asking.fresh();
  void run('postil.pastAnswers');
  const turn = await accepted(() => asking.thread[0], 'no answer was chosen');
  assert.equal(turn.phase, 'done');
  assert.ok(turn.title && turn.text);
});

test('an answer is copied with its sources', async () => {
  await run('postil.answer.copy');
  const copied = await vscode.env.clipboard.readText();
  const { asking } = await api();
  assert.ok(copied.startsWith(asking.thread[0]!.text.trim().slice(0, 20)), copied);
});

test('an answer is saved where the dialog says', async () => {
  const { asking } = await api();
  const name = `${asking.thread[0]!.title.replace(/[^\w ]/g, '').slice(0, 10)}`;
  void run('postil.answer.save');
  const saved = await accepted(async () => {
    const [root] = vscode.workspace.workspaceFolders!;
    return (await vscode.workspace.fs.readDirectory(root!.uri)).find(([each]) => each.endsWith('.md') && each.startsWith(name))?.[0];
  }, 'no note was saved');
  await eventually(() => vscode.window.activeTextEditor?.document.uri.path.endsWith(saved));
  assert.match(vscode.window.activeTextEditor!.document.getText(), /^# /);
  await closeAll();
  await vscode.workspace.fs.delete(file(saved));
});

test('a filter of the history is edited in a box, and one is added from a list', async () => {
  const { history } = await api();
  await run('postil.historyQuery', 'author:Maya lease');
  void run('postil.history.editFilter', { is: 'filter', name: 'author', value: 'Jonas' });
  await accepted(() => history.filters['author'] === 'Jonas' && history.commits.length, 'the author is not Jonas');
  assert.ok(history.commits.every(({ author }) => author.startsWith('Jonas')));
  await run('postil.history.removeFilter', { is: 'filter', name: 'author', value: 'Jonas' });
  let ended = false;
  void run('postil.history.addFilter').then(() => (ended = true)); // the first name of the list, and then no value
  await accepted(() => ended, 'the box is still open');
  assert.equal(history.filters['author'], undefined);
});

test('more commits come with a click, and an id is copied', async () => {
  const { history } = await api();
  await run('postil.historyQuery', 'after:2020-01-01');
  assert.equal(history.commits.length, 20);
  const nodes = history.getChildren();
  assert.deepEqual(nodes.at(-1), { is: 'more' });
  const commit = nodes.find((node) => node.is === 'commit')!;
  await run('postil.history.copyId', commit);
  assert.equal(await vscode.env.clipboard.readText(), history.commits[0]!.sha);
  await run('postil.history.more');
  assert.ok(history.commits.length > 20);
});

test('the log opens', async () => {
  await run('postil.showLog');
  await eventually(() => vscode.window.visibleTextEditors.some(({ document }) => document.uri.scheme === 'output'), 'no log is open');
  await run('workbench.action.closePanel');
});

test('a server that can\'t be set up leaves its reason, and the one of before starts again', async () => {
  const { session } = await api();
  const config = vscode.workspace.getConfiguration('postil.server');
  await config.update('interpreter', process.execPath, vscode.ConfigurationTarget.Global); // which is no Python
  try {
    await run('postil.setUp');
    assert.ok(session.phase.is === 'missing' && ['interpreter_wrong', 'no_wheel'].includes(session.phase.problem.code), JSON.stringify(session.phase));
    await run('notifications.clearAll');
  } finally {
    await forget('postil.server', 'interpreter');
  }
  await run('postil.restart');
  assert.equal(session.phase.is, 'running', session.words());
});
