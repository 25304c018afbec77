import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { api, eventually, file, forget, open, run, test } from './harness';

const manifest = () => vscode.extensions.getExtension('postil.postil')!.packageJSON as { contributes: { commands: { command: string }[] } };

test('every command of the palette is there', async () => {
  await api();
  const there = new Set(await vscode.commands.getCommands(true));
  const missing = manifest().contributes.commands.map(({ command }) => command).filter((command) => !there.has(command));
  assert.deepEqual(missing, []);
});

test('the status page shows the numbers of the folder and runs no script', async () => {
  const { page } = await api();
  await run('postil.status');
  await eventually(() => /<th scope="row">Files<\/th><td>\d+/.test(page.html), page.html);
  assert.match(page.html, /<th scope="row">Languages<\/th><td>markdown \d+, /);
  assert.match(page.html, /<th scope="row">Left out<\/th><td>[a-z ]+ \d+/);
  assert.match(page.html, /Size on disk<\/th><td>\d+\.\d MB/);
  assert.match(page.html, /Left this machine<\/h2><p>Nothing, since the log begins/);
  assert.match(page.html, /Language model<\/th><td>None is set/);
  assert.doesNotMatch(page.html, /<script|onclick/);
  await run('workbench.action.closeActiveEditor');
});

test('pausing shows in the status bar, and resuming too', async () => {
  const { bar } = await api();
  for (const [command, icon] of [['postil.pause', '$(debug-pause)'], ['postil.resume', '$(book)']] as const) {
    await run(command);
    await eventually(() => {
      bar.look();
      return bar.shown.text.startsWith(icon);
    }, () => `after ${command} the bar says ${bar.shown.text}`);
  }
});

test('why a file is not found is said in a sentence', async () => {
  const { session } = await api();
  const ask = (path: string) => session.request<{ state: string; sentence: string }>('postil/why', { textDocument: { uri: file(path).toString() } });
  assert.equal((await ask('docs/retries.md')).state, 'indexed');
  const { state, sentence } = await ask('.git/config');
  assert.equal(state, 'skipped');
  assert.match(sentence, /^\.git\/config is left out/);
});

test('search opens its picker, and closing it leaves nothing', async () => {
  await open('README.md');
  const picker = await run<vscode.QuickPick<vscode.QuickPickItem>>('postil.search');
  assert.ok(picker);
  picker.hide();
});

test('the server restarts, stops and starts', async () => {
  const { session } = await api();
  await run('postil.stop');
  assert.equal(session.phase.is, 'stopped');
  await assert.rejects(session.request('postil/status', {}), /Postil is stopped/);
  await run('postil.restart');
  await eventually(() => session.phase.is === 'running');
});

test('settings that are written together start the server again once, and those that come to nothing never', async () => {
  const { session } = await api();
  const write = (key: string, value: unknown) => vscode.workspace.getConfiguration('postil').update(key, value, vscode.ConfigurationTarget.Global);
  const longerThanARest = () => new Promise((later) => setTimeout(later, 700));
  const phases: string[] = [];
  const listening = session.onDidChange(({ is }) => void phases.push(is));
  try {
    await session.startSettings.together(async () => {
      await write('llm.temperature', 0.7);
      await write('llm.temperature', undefined);
    });
    await longerThanARest();
    assert.deepEqual(phases, []);
    await session.startSettings.together(async () => {
      await write('llm.temperature', 0.7);
      await longerThanARest(); // as on a machine that does much else
      await write('server.logLevel', 'debug');
    });
    await longerThanARest();
    assert.deepEqual(phases, ['starting', 'running']);
  } finally {
    listening.dispose();
    await forget('postil', 'llm.temperature', 'server.logLevel');
  }
});

test('what is asked while the server starts again is answered that it starts', async () => {
  const { session } = await api();
  const asked = session.request('postil/models', { measure: true }); // which takes a while
  const restarted = session.restart();
  await assert.rejects(asked, /^Error: Postil is starting\.$/);
  await restarted;
  assert.ok(await session.request('postil/status', {}));
});

test('a server that was killed is started again', async () => {
  const { session } = await api();
  const pid = () => (session as unknown as { client: { _serverProcess?: { pid: number } } }).client?._serverProcess?.pid;
  const before = pid()!;
  process.kill(before, 'SIGKILL');
  await eventually(() => session.phase.is === 'running' && pid() !== before && pid());
  assert.ok(await session.request('postil/status', {}));
});

test('a changed setting reaches the server without a restart', async () => {
  const { session } = await api();
  const config = vscode.workspace.getConfiguration('postil');
  const content = 'Retries use exponential backoff with full jitter, so that jobs that failed together do not come back together.\n';
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  const hovers = () => run<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, new vscode.Position(0, 30));
  await eventually(async () => (await hovers()).length > 0, 'there is no hover to switch off');
  const before = session.version;
  await config.update('hover.notes', false, vscode.ConfigurationTarget.Workspace);
  try {
    await eventually(async () => (await hovers()).length === 0, 'the hover is still there');
    assert.equal(session.version, before);
  } finally {
    await config.update('hover.notes', undefined, vscode.ConfigurationTarget.Workspace);
  }
  await eventually(async () => (await hovers()).length > 0, 'the hover did not come back');
});
