import assert from 'node:assert/strict';
import type { ChosenModel, SetModels, Worker } from '../../src/protocol';
import { Phase, Session } from '../../src/server/session';
import { looksAgainAfter, Seen, shownOf } from '../../src/status/bar';
import { test } from './harness';

const ready: ChosenModel = { provider: 'ollama', name: 'qwen2.5:7b', endpoint: 'http://127.0.0.1:11434', local: true, state: 'ready', problem: '', hint: '' };
const missing: ChosenModel = { ...ready, state: 'missing', problem: 'no Ollama server answers', hint: 'start Ollama' };
const models = (language: ChosenModel, prose: ChosenModel): SetModels => ({ language, prose });
const RUNNING: Phase = { is: 'running' };
const idle: Worker = { state: 'idle' };

/** What the server's state and its workers' show in the bar: its text, its tooltip, where a click leads, its colour. */
const STATES: readonly (readonly [
  name: string, phase: Phase, workers: readonly Seen[], models: SetModels | undefined, text: string, tooltip: RegExp, command: string, loud?: string,
])[] = [
  ['untrusted', { is: 'untrusted' }, [], undefined, '$(shield) Postil', /^This workspace is not trusted: nothing is indexed or sent until it is\.$/, 'workbench.trust.manage'],
  ['not set up', { is: 'missing', problem: { code: 'not_found', detail: '' } }, [], undefined, '$(cloud-download) Set up Postil', /Postil/, 'postil.setUp', 'warning'],
  ['failed', { is: 'failed', reason: 'it fell over' }, [], undefined, '$(error) Postil', /^Postil's server failed: it fell over$/, 'postil.restart', 'error'],
  ['stopped', { is: 'stopped' }, [], undefined, '$(circle-slash) Postil', /^Postil is stopped\.$/, 'postil.restart'],
  ['being set up', { is: 'settingUp' }, [], undefined, '$(loading~spin) Postil', /^Postil's server is being set up\.$/, 'postil.showLog'],
  ['starting', { is: 'starting' }, [], undefined, '$(loading~spin) Postil', /^Postil is starting\.$/, 'postil.showLog'],
  ['without a folder', RUNNING, [], undefined, '$(book) Postil', /^No folder is open/, 'postil.status'],
  ['about to index', RUNNING, [null], undefined, '$(sync~spin) Postil', /^Postil is about to index\.$/, 'postil.status'],
  ['indexing, nothing counted yet', RUNNING, [{ state: 'indexing' }], undefined, '$(sync~spin) Postil', /^Postil is indexing\.$/, 'postil.status'],
  ['indexing', RUNNING, [{ state: 'indexing', done: 1, total: 3 }], undefined, '$(sync~spin) Postil 33 %', /^Postil is indexing: 1 of 3$/, 'postil.status'],
  ['indexing two folders of three', RUNNING, [{ state: 'indexing', done: 2, total: 3 }, idle, { state: 'indexing', done: 0, total: 5 }], undefined, '$(sync~spin) Postil 25 %', /^Postil is indexing: 2 of 8$/, 'postil.status'],
  ['indexing more than was counted', RUNNING, [{ state: 'indexing', done: 9, total: 8 }], undefined, '$(sync~spin) Postil 100 %', /^Postil is indexing: 9 of 8$/, 'postil.status'],
  ['indexing failed', RUNNING, [idle, { state: 'failed', failure: 'the disk is full' }], undefined, '$(warning) Postil', /^Indexing failed: the disk is full$/, 'postil.status', 'warning'],
  ['paused', RUNNING, [idle, { state: 'paused' }], undefined, '$(debug-pause) Postil', /^Indexing is paused\./, 'postil.status'],
  ['on battery', RUNNING, [{ state: 'on_battery' }], undefined, '$(debug-pause) Postil', /^Indexing waits for the power supply\.$/, 'postil.status'],
  ['a folder that is gone', RUNNING, [{ state: 'root_missing' }, idle], undefined, '$(warning) Postil', /^The folder is gone; its index is kept\.$/, 'postil.status', 'warning'],
  ['a folder that is held', RUNNING, [{ state: 'held' }], undefined, '$(book) Postil', /^A home folder or a drive is indexed once you say so/, 'postil.status'],
  ['ready', RUNNING, [idle], undefined, '$(book) Postil', /^Postil is ready\. Click for its status\.$/, 'postil.status'],
  ['ready, with its models', RUNNING, [idle, idle], models(ready, ready), '$(book) Postil', /^Postil is ready\. Click for its status\.$/, 'postil.status'],
  ['ready, without a model on purpose', RUNNING, [idle], models({ ...ready, state: 'none' }, { ...ready, state: 'none' }), '$(book) Postil', /^Postil is ready\. Click for its status\.$/, 'postil.status'],
  ['no model', RUNNING, [idle], models(missing, ready), '$(book) Postil: no model', /^Postil is ready\. .*\nollama: qwen2\.5:7b can't be used, .*no Ollama server answers; start Ollama$/, 'postil.status'],
  ['no embedding model', RUNNING, [idle], models(ready, missing), '$(book) Postil: no model', /\nqwen2\.5:7b can't be used, so notes are found by words/, 'postil.status'],
];

for (const [name, phase, workers, given, text, tooltip, command, loud] of STATES) {
  test(`the status bar: ${name}`, async () => {
    const words = Session.prototype.words.bind({ now: phase } as unknown as Session);
    const shown = shownOf({ phase, words }, workers, given);
    assert.deepEqual([shown.text, shown.command, shown.loud], [text, command, loud]);
    assert.match(shown.tooltip, tooltip);
  });
}

test('the status bar looks often where something is indexed or about to be, and seldom where that waits for the user', async () => {
  const after = ([{ state: 'indexing' }, null, idle, { state: 'held' }] as const).map((worker) => looksAgainAfter([idle, worker]));
  assert.deepEqual(after, [1000, 1000, 5000, 5000]);
});
