import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Item, linkDrop } from '../../src/views/related';
import { api, closeAll, eventually, file, open, run, test } from './harness';

test('the related view follows the cursor once it rests', async () => {
  const { related } = await api();
  await open('docs/design.md', 8);
  await run('postil.related');
  await eventually(() => related.items.length > 0);
  assert.match(related.view.description!, /^docs\/design\.md:9$/);
  await open('docs/glossary.md', 21);
  await eventually(() => related.view.description === 'docs/glossary.md:22', related.view.description);
  const item = related.getTreeItem(related.items[0]!);
  assert.match(String(item.description), /^(\d+ % · \S|link)/);
  assert.ok(item.accessibilityInformation?.label.includes('percent'));
});

test('pinned, it stays; unpinned, it follows again', async () => {
  const { related } = await api();
  await run('postil.related.pin');
  await open('docs/design.md', 8);
  await new Promise((resolve) => setTimeout(resolve, 800));
  assert.equal(related.view.description, 'pinned · docs/glossary.md:22');
  await run('postil.related.unpin');
  await eventually(() => related.view.description === 'docs/design.md:9', related.view.description);
});

test('paused, it asks nothing; asked for, it answers all the same', async () => {
  const { related } = await api();
  await run('postil.related.pauseFollowing');
  await open('docs/glossary.md', 21);
  await new Promise((resolve) => setTimeout(resolve, 800));
  assert.equal(related.view.description, 'paused · docs/design.md:9');
  await run('postil.related');
  assert.equal(related.view.description, 'paused · docs/glossary.md:22');
  await run('postil.related.follow');
});

test('a hidden note is gone until all are shown again', async () => {
  const { related } = await api();
  const [first] = related.items;
  await run('postil.related.hide', first);
  assert.ok(!related.items.some(({ uri }) => uri === first!.uri));
  await run('postil.related.unhide');
  await eventually(() => related.items.some(({ uri }) => uri === first!.uri));
});

test('open and preview show the note at its place', async () => {
  const { related } = await api();
  const [first, second] = related.items; // opening one makes the view follow
  await run('postil.related.open', first);
  await eventually(() => vscode.window.activeTextEditor?.document.uri.toString() === first!.uri, 'it is not open');
  assert.equal(vscode.window.activeTextEditor?.selection.active.line, first!.range.start.line);
  await run('postil.related.preview', second);
  await eventually(() => vscode.window.visibleTextEditors.some(({ document }) => document.uri.toString() === second!.uri));
  await closeAll();
});

test('a link goes in at the cursor, and a dragged note becomes one', async () => {
  const { related } = await api();
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: 'See  for more.\n' });
  const editor = await vscode.window.showTextDocument(document);
  editor.selection = new vscode.Selection(0, 4, 0, 4);
  const item = related.items.find(({ uri }) => uri.endsWith('.md'))!;
  await run('postil.related.insertLink', item);
  assert.match(document.getText(), /^See \[\[[^\]|]+\|[^\]]+\]\] for more\.\n$/);
  const data = new vscode.DataTransfer();
  related.handleDrag([item], data);
  const edits = await linkDrop.provideDocumentDropEdits(document, new vscode.Position(0, 0), data, new vscode.CancellationTokenSource().token);
  assert.equal((edits as vscode.DocumentDropEdit).insertText, /\[\[.*?\]\]/.exec(document.getText())![0]);
  await run('workbench.action.revertAndCloseActiveEditor');
});

test('a document outside of the folder has related notes too', async () => {
  const { related } = await api();
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: 'Redis memory fragmentation and eviction.\n' });
  await vscode.window.showTextDocument(document);
  await eventually(() => related.items.some(({ uri }) => uri === file('notes/Redis内存碎片整理.md').toString()), related.items.map(({ uri }) => uri).join());
  await run('workbench.action.revertAndCloseActiveEditor');
});

test('a name without a link is found below the backlinks, and becomes a link', async () => {
  const { related } = await api();
  const uri = file('notes/zz names the glossary.md');
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode('# About words\n\nLook into the Lease Protocol before you ask.\n'));
  const other = await vscode.workspace.openTextDocument(uri); // what is open counts before it is indexed
  await open('docs/lease protocol.md', 3);
  await run('postil.related');
  await eventually(() => related.view.description?.startsWith('docs/lease protocol.md'));
  const group = related.getChildren() as readonly { label?: string; inside?: () => Promise<readonly Item[]> }[];
  const inside = await group.find(({ label }) => label === 'Unlinked mentions')!.inside!();
  const item = inside.find((each) => each.uri === uri.toString())!;
  assert.equal(related.getTreeItem(item).label, 'About words');
  assert.match(String(related.getTreeItem(item).description), /^notes\/zz names the glossary\.md:3 · Look into the Lease Protocol/);
  assert.equal(related.getTreeItem(item).contextValue, 'mention');
  await run('postil.related.linkMention', item);
  assert.match(other.getText(), /Look into the \[\[docs\/lease protocol\|Lease Protocol\]\] before you ask/);
  await run('workbench.action.files.revert');
  await closeAll();
  await vscode.workspace.fs.delete(uri);
});
