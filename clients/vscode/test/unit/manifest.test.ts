import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

interface Item { readonly command: string; readonly when: string; readonly group: string }

const manifest = JSON.parse(fs.readFileSync(path.join(__dirname, '../../../package.json'), 'utf8')) as { contributes: { menus: Record<string, readonly Item[]> } };

test('what a view shows beside an item is in its menu too, which the keyboard opens', () => {
  const items = manifest.contributes.menus['view/item/context']!;
  const inline = items.filter(({ group }) => group.startsWith('inline'));
  assert.ok(inline.length >= 8);
  const listed = new Set(items.filter((item) => !inline.includes(item)).map(({ command, when }) => `${command} ${when}`));
  assert.deepEqual(inline.map(({ command, when }) => `${command} ${when}`).filter((item) => !listed.has(item)), []);
});
