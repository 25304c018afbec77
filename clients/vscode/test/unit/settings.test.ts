import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { contributed, serverSettings } from '../../src/settings';

type Inspected = { globalValue?: unknown; workspaceValue?: unknown; workspaceFolderValue?: unknown };

const manifest: unknown = JSON.parse(fs.readFileSync(path.join(process.cwd(), 'package.json'), 'utf8'));
const known = contributed({ packageJSON: manifest } as never);

function sent(values: Record<string, Inspected>, beside = false) {
  return serverSettings({ inspect: ((key: string) => ({ key, ...values[key] })) as never }, known, beside);
}

test('only what was set is said, beside what the editor has of its own', () => {
  assert.deepEqual(sent({}), { settings: { features: { symbols: false, markdown_links: false } }, userSettings: {} });
  assert.deepEqual(sent({ 'features.searchInSymbols': { globalValue: false }, 'hover.notes': { workspaceValue: false } }).settings, {
    hover: { notes: false },
    features: { symbols: false, search_in_symbols: false, markdown_links: false },
  });
});

test('beside another server of notes, what both can do is left to that one, unless the user said otherwise', () => {
  const others = { completion: false, definition: false, references: false, rename: false, diagnostics: false };
  const { settings } = sent({}, true);
  assert.deepEqual(settings, { hover: { links: false }, features: { ...others, symbols: false, markdown_links: false } });
  assert.deepEqual(sent({ 'features.rename': { globalValue: true } }, true).settings['features'], {
    ...others, rename: true, symbols: false, markdown_links: false,
  });
});

test('the innermost value holds', () => {
  assert.deepEqual(sent({ 'lens.code': { globalValue: false, workspaceValue: true } }).settings['lens'], { code: true });
});

test('a workspace sets nothing that is the user\'s alone', () => {
  const outside = { workspaceValue: ['/etc'], workspaceFolderValue: ['/etc'] };
  assert.deepEqual(sent({ folders: outside }).userSettings, {});
  assert.deepEqual(sent({ folders: { ...outside, globalValue: ['~/notes'] } }).userSettings, { folders: ['~/notes'] });
});

test('settings of the client alone stay with it', () => {
  assert.deepEqual(known.filter(({ key }) => /^(server|trace|related|notes)\./.test(key)), []);
});
