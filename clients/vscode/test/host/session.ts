import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { api, eventually, run, test } from './harness';

test('the server starts by itself and says its version', async () => {
  const { session } = await api();
  await eventually(() => session.phase.is === 'running', () => `phase ${session.phase.is}: ${session.words()}`);
  assert.equal(session.found?.from, 'setting');
  assert.equal(session.version, '0.1.0');
});

test('the folder is indexed, and the status bar says that Postil is ready', async () => {
  const { session, bar } = await api();
  await eventually(async () => {
    const { folders } = await session.request<{ folders: { indexed: boolean; worker: { state: string } | null }[] }>('postil/status', {});
    return folders[0]?.indexed && folders[0].worker?.state === 'idle';
  });
  await eventually(() => { // more may come to be done, and a window that nobody looks at asks for nothing
    bar.look();
    return bar.shown.text === '$(book) Postil';
  }, () => `the bar says ${bar.shown.text}`);
  assert.equal(bar.shown.command, 'postil.status');
});

/** Over a note that other notes say something of. */
async function hoverOver(): Promise<() => Thenable<vscode.Hover[]>> {
  const content = 'Retries use exponential backoff with full jitter, so that jobs that failed together do not come back together.\n';
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  return () => run<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, new vscode.Position(0, 30));
}

test('a hover over a paragraph of a note shows related notes, in Markdown that is not trusted', async () => {
  const hover = await hoverOver();
  const hovers = await eventually(async () => {
    const found = await hover();
    return found.length ? found : undefined;
  });
  const parts = hovers.flatMap(({ contents }) => contents) as vscode.MarkdownString[];
  assert.match(parts.map(({ value }) => value).join('\n'), /Related[^]*retries\.md/);
  assert.ok(parts.every(({ isTrusted, supportHtml }) => !isTrusted && !supportHtml));
});

test('a hover that is asked for while the server starts has its answer when it has started, and has it once', async () => {
  const { session } = await api();
  const hover = await hoverOver();
  const started = session.restart();
  await eventually(() => session.phase.is === 'starting');
  const hovers = await hover();
  await started;
  assert.equal(hovers.length, 1);
  assert.match((hovers[0]!.contents[0] as vscode.MarkdownString).value, /Related[^]*retries\.md/);
});
