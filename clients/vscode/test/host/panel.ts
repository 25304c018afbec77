// What the panel and the views do with commits, thumbs, drops and the keyboard.

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { begun, Turn } from '../../src/answer/state';
import type { Commit, HistoryAnswer } from '../../src/protocol';
import { linkDrop } from '../../src/views/related';
import { api, closeAll, eventually, file, open, run, shownChange, test } from './harness';

const activeTab = () => vscode.window.tabGroups.activeTabGroup.activeTab;
const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };

async function commit(query: string, subject: string): Promise<Commit> {
  const { session } = await api();
  return eventually(async () => {
    const { commits } = await session.request<HistoryAnswer>('postil/history', { query, filters: {}, limit: 50 });
    return commits.find((each) => each.subject.startsWith(subject));
  }, `no commit answers ${query}`);
}

/** An answer whose one source is the commit. */
function citing({ sha, document }: Commit, uri: string): Turn {
  return { ...begun('panel', 'why?'), phase: 'done', text: 'So [1].', sources: [{ number: 1, uri, range, sha, ...(document && { document }) }] };
}

test('a dropped note is a link, as it comes over from the window: as a text', async () => {
  const { related } = await api();
  await open('docs/design.md', 8);
  const notes = () => related.items.filter(({ uri }) => uri.endsWith('.md'));
  await eventually(async () => {
    await run('postil.related');
    return notes().length > 1;
  }, 'there are no two notes');
  const items = notes().slice(0, 2);
  const dragged = new vscode.DataTransfer();
  related.handleDrag(items, dragged);
  const dropped = new vscode.DataTransfer();
  for (const [mime, item] of dragged) {
    dropped.set(mime, new vscode.DataTransferItem(await item.asString()));
  }
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: '' });
  const drop = (data: vscode.DataTransfer) => linkDrop.provideDocumentDropEdits(document, new vscode.Position(0, 0), data, new vscode.CancellationTokenSource().token);
  const edit = (await drop(dropped)) as vscode.DocumentDropEdit;
  assert.match(String(edit.insertText), /^\[\[[^\]]+\|[^\]]+\]\]\n\[\[[^\]]+\|[^\]]+\]\]$/);
  assert.equal(await drop(new vscode.DataTransfer()), undefined);
});

test('a commit that an answer cites opens as a change; a merge, which has none, as its page', async () => {
  const { asking } = await api();
  const [jitter, merge] = [await commit('full jitter', 'Rename backoff_policy'), await commit('merge:yes', 'Merge branch')];
  const changed = jitter.hunks.find(({ uri }) => uri.endsWith('millrace/retry.py'))!;
  await asking.openSource(citing(jitter, changed.uri), 1);
  const diff = await shownChange();
  assert.match(diff.modified.path, /\/millrace\/retry\.py$/);
  await asking.openSource(citing(merge, file('').toString()), 1);
  const shown = () => vscode.window.activeTextEditor?.document.uri.toString();
  await eventually(() => shown() === vscode.Uri.parse(merge.document!).toString(), () => `${shown()} is shown`);
  assert.match(vscode.window.activeTextEditor!.document.getText(), /Merge branch 'web-client'/);
  const { document: _, ...pageless } = merge;
  await assert.rejects(asking.openSource(citing(pageless, file('').toString()), 1), /is in no open folder/);
  await closeAll();
});

test('a commit of the history shows its change, and is opened to its hunks all the same', async () => {
  const { history } = await api();
  const click = async ({ sha }: Commit) => {
    const node = history.getChildren().find((each) => each.is === 'commit' && each.commit.sha === sha)!;
    const item = history.getTreeItem(node);
    assert.equal(item.collapsibleState, vscode.TreeItemCollapsibleState.Collapsed);
    await run(item.command!.command, ...item.command!.arguments!);
  };
  await run('postil.historyQuery', 'retry');
  const single = history.commits.find(({ files, hunks }) => files.length === 1 && hunks.length)!;
  await click(single);
  assert.equal((await shownChange()).modified.path.split('/').at(-1), single.files[0]!.split('/').at(-1));
  const several = history.commits.find(({ files }) => files.length > 1)!;
  await click(several);
  const label = `${several.subject} · ${several.sha.slice(0, 10)}`;
  await eventually(() => activeTab()?.label.startsWith(label), () => `the tab is ${activeTab()?.label}`);
  await run('postil.historyQuery', 'merge:yes');
  await click(history.commits.find(({ subject }) => subject.startsWith('Merge branch'))!);
  await eventually(() => vscode.window.activeTextEditor?.document.uri.scheme === 'postil', 'its page is not open');
  await closeAll();
});

test('a thumb stands where the server kept it, and nowhere else', async () => {
  const { asking } = await api();
  await asking.ask({ method: 'postil/ask', params: { question: 'how long is a lease?' }, title: 'how long is a lease?' });
  const turn = () => asking.thread.at(-1)!;
  for (const verdict of ['good', 'bad'] as const) {
    await asking.act(verdict);
    assert.equal(turn().verdict, verdict);
  }
  const { title, text, model, sources, sentences, nearest, finish } = turn();
  asking.showPast(title, { id: '99999999', text, model, citations: sources, sentences, nearest, finish });
  await asking.act('good');
  assert.equal(turn().verdict, undefined);
  await run('notifications.clearAll');
  await closeAll();
});

test('the next question has a command that opens the panel at its field', async () => {
  const { asking } = await api();
  await closeAll();
  await eventually(() => !asking.panel.open);
  await open('docs/design.md');
  await run('postil.answer.followUp');
  await eventually(() => activeTab()?.input instanceof vscode.TabInputWebview && activeTab()?.label === 'Postil: answer', () => `the tab is ${activeTab()?.label}`);
  assert.ok(asking.panel.open);
  await closeAll();
});

test('the status page names reasons and watching in words', async () => {
  const { page } = await api();
  await run('postil.status');
  const cell = (name: string) => new RegExp(`<th scope="row">${name}</th><td>(.*?)</td>`).exec(page.html)?.[1] ?? '';
  await eventually(() => cell('Watching'), page.html);
  assert.match(cell('Watching'), /^(changes are seen at once|looks for changes now and then)/);
  assert.match(cell('Left out'), /version control \d/);
  assert.doesNotMatch(cell('Left out'), /_/);
  await run('workbench.action.closeActiveEditor');
});
