import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { beforeEach, test } from 'node:test';
import { findServer, onPath, OWN, ownEnvironment, Places } from '../../src/server/find';

let home: string;
let places: Places;

function program(...parts: string[]): string {
  const file = path.join(home, ...parts);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

function own(version = '0.1.0'): string {
  const command = program('storage', 'environment-0.1.0-x', 'bin', 'postil');
  fs.writeFileSync(path.join(home, 'storage', OWN), JSON.stringify({ folder: path.dirname(path.dirname(command)), command, version }));
  return command;
}

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'postil-find-'));
  const workspace = path.join(home, 'workspace');
  fs.mkdirSync(workspace);
  places = { setting: '', storage: path.join(home, 'storage'), searchPath: path.join(home, 'bin'), workspaceFolders: [workspace], windows: false };
});

test('the setting comes first, then the own environment, then PATH', () => {
  const [set, ours, found] = [program('elsewhere', 'postil'), own(), program('bin', 'postil')];
  assert.deepEqual(findServer({ ...places, setting: set }), { command: set, from: 'setting' });
  assert.deepEqual(findServer(places), { command: ours, from: 'own' });
  fs.rmSync(path.join(home, 'storage'), { recursive: true });
  assert.deepEqual(findServer(places), { command: found, from: 'path' });
  fs.rmSync(found);
  assert.deepEqual(findServer(places), { code: 'not_found', detail: '' });
});

test('a setting that names nothing is said, and nothing else is started in its place', () => {
  own();
  assert.deepEqual(findServer({ ...places, setting: path.join(home, 'gone') }), { code: 'path_missing', detail: path.join(home, 'gone') });
});

test('a relative setting is refused, whatever lies there', () => {
  program('workspace', '.venv', 'bin', 'postil');
  for (const setting of ['.venv/bin/postil', './postil', 'postil', '${workspaceFolder}/.venv/bin/postil']) {
    assert.deepEqual(findServer({ ...places, setting }), { code: 'path_relative', detail: setting });
  }
});

test('a postil that the workspace planted on PATH is not run', () => {
  program('workspace', 'bin', 'postil');
  program('workspace', 'postil');
  const here = process.cwd();
  process.chdir(path.join(home, 'workspace'));
  try {
    const entries = [path.join(home, 'workspace', 'bin'), '.', '', 'bin', './bin', '../workspace/bin'];
    assert.deepEqual(findServer({ ...places, searchPath: entries.join(':') }), { code: 'not_found', detail: '' });
  } finally {
    process.chdir(here);
  }
});

test('nor one behind a link that leads into the workspace', () => {
  program('workspace', 'bin', 'postil');
  fs.symlinkSync(path.join(home, 'workspace', 'bin'), path.join(home, 'link'));
  assert.deepEqual(findServer({ ...places, searchPath: path.join(home, 'link') }), { code: 'not_found', detail: '' });
});

test('a note of an own environment that points elsewhere is not believed', () => {
  const outside = program('elsewhere', 'postil');
  fs.mkdirSync(path.join(home, 'storage'));
  fs.writeFileSync(path.join(home, 'storage', OWN), JSON.stringify({ folder: home, command: outside, version: '0.1.0' }));
  assert.equal(ownEnvironment(places.storage), undefined);
  fs.writeFileSync(path.join(home, 'storage', OWN), '{"comm');
  assert.equal(ownEnvironment(places.storage), undefined);
});

test('a file that is no program, and a folder of that name, are passed over', () => {
  fs.mkdirSync(path.join(home, 'bin', 'postil'), { recursive: true });
  fs.mkdirSync(path.join(home, 'more'));
  fs.writeFileSync(path.join(home, 'more', 'postil'), 'text', { mode: 0o644 });
  assert.deepEqual(onPath(['postil'], { ...places, searchPath: `${home}/bin:${home}/more` }), []);
});

test('on Windows a program is an .exe, and PATH is cut at semicolons', () => {
  const exe = program('bin', 'postil.exe');
  program('bin', 'postil.cmd');
  assert.deepEqual(onPath(['postil'], { ...places, searchPath: `;${home}/bin;`, windows: true }), [exe]);
});
