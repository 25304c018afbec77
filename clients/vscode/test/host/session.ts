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

test('a hover over a paragraph of a note shows related notes, in Markdown that is not trusted', async () => {
  const content = 'Retries use exponential backoff with full jitter, so that jobs that failed together do not come back together.\n';
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  const hovers = await eventually(async () => {
    const found = await run<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, new vscode.Position(0, 30));
    return found.length ? found : undefined;
  });
  const parts = hovers.flatMap(({ contents }) => contents) as vscode.MarkdownString[];
  assert.match(parts.map(({ value }) => value).join('\n'), /Related[^]*retries\.md/);
  assert.ok(parts.every(({ isTrusted, supportHtml }) => !isTrusted && !supportHtml));
});
