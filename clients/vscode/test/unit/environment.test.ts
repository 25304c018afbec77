import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { beforeEach, test } from 'node:test';
import { makeEnvironment, Making } from '../../src/server/environment';
import { OWN } from '../../src/server/find';
import { ProblemError } from '../../src/server/problems';

let home: string;
let making: Making;
let stop: AbortController;

/** A program of a shell's lines on PATH; `$0` and arguments are logged. */
function script(name: string, body: string): string {
  const file = path.join(home, 'bin', name);
  fs.writeFileSync(file, `#!/bin/sh\necho "$(basename "$0") $*" >> "${home}/calls"\n${body}\n`, { mode: 0o755 });
  return file;
}

/** An interpreter that makes an environment as venv does, with pip's part in it. */
const MAKES = `
case "$*" in
  *postil-python*) echo "postil-python 3 12" ;;
  *"-m venv"*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/python" ;;
  *"-m pip"*) printf '#!/bin/sh\\n' > "$(dirname "$0")/postil"; chmod +x "$(dirname "$0")/postil" ;;
esac`;

const calls = () => fs.readFileSync(path.join(home, 'calls'), 'utf8').trim().split('\n');
const left = () => fs.readdirSync(path.join(home, 'storage'));

async function problem(): Promise<string> {
  const error = await makeEnvironment(making).then(() => undefined, (error: unknown) => error);
  assert.ok(error instanceof ProblemError, String(error));
  return `${error.problem.code}|${error.problem.detail}`;
}

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'postil environment '));
  for (const folder of ['bin', 'wheel', 'storage', 'workspace']) {
    fs.mkdirSync(path.join(home, folder));
  }
  fs.writeFileSync(path.join(home, 'wheel', 'postil-0.1.0-py3-none-any.whl'), '');
  stop = new AbortController();
  making = {
    setting: '', storage: path.join(home, 'storage'), searchPath: path.join(home, 'bin'), workspaceFolders: [path.join(home, 'workspace')],
    windows: false, wheels: path.join(home, 'wheel'), version: '0.1.0', interpreter: '', proxy: '', report: () => undefined, signal: stop.signal,
  };
});

test('venv and pip make it from the wheel, and it is found afterwards', async () => {
  script('python3', MAKES);
  const own = await makeEnvironment(making);
  assert.equal(path.dirname(own.folder), making.storage);
  assert.deepEqual(JSON.parse(fs.readFileSync(path.join(making.storage, OWN), 'utf8')), own);
  assert.ok(fs.existsSync(own.command));
  assert.match(calls().at(-1)!, /^python -I -m pip .* postil\[ollama,openai\] @ file:\/\/\/.*postil%20environment.*\/postil-0\.1\.0-py3-none-any\.whl$/);
});

test('uv is taken where it is there', async () => {
  script('python3', MAKES);
  script('uv', 'if [ "$1" = venv ]; then for folder; do :; done; mkdir -p "$folder/bin"; touch "$folder/bin/postil"; fi');
  await makeEnvironment(making);
  assert.deepEqual(calls().map((line) => line.split(' ').slice(0, 3).join(' ')), ['uv venv --no-config', 'uv pip install']);
});

test('a new one takes the place of the old one', async () => {
  script('python3', MAKES);
  const first = await makeEnvironment(making);
  const second = await makeEnvironment({ ...making, version: '0.2.0' });
  assert.notEqual(first.folder, second.folder);
  assert.deepEqual(left().sort(), [path.basename(second.folder), OWN].sort());
});

test('a Python that is too old is named, and one further on PATH is taken', async () => {
  script('python3', 'echo "postil-python 3 9"');
  assert.equal(await problem(), `python_old|${path.join(home, 'bin', 'python3')} (3.9)`);
  script('python', MAKES);
  assert.equal((await makeEnvironment(making)).version, '0.1.0');
});

test('a Python without venv is named with its version', async () => {
  script('python3', 'echo "postil-python 3 11"; echo "No module named ensurepip" >&2; exit 1');
  assert.equal(await problem(), 'venv_missing|3.11');
});

test('the placeholder of the Microsoft Store is told from a Python', async () => {
  script('python3', 'echo "Python was not found; run without arguments to install from the Microsoft Store" >&2; exit 9');
  assert.equal(await problem(), `store_stub|${path.join(home, 'bin', 'python3')}`);
});

test('no Python at all', async () => assert.equal(await problem(), 'python_missing|'));

test('an interpreter that was set is the only one that is tried', async () => {
  script('python3', MAKES);
  script('uv', 'exit 0');
  const other = script('other', 'exit 3');
  making = { ...making, interpreter: other };
  assert.equal(await problem(), `interpreter_wrong|${other}`);
  making = { ...making, interpreter: 'bin/python3' };
  assert.equal(await problem(), 'path_relative|bin/python3');
});

test('a Python that the workspace planted is not run', async () => {
  fs.writeFileSync(path.join(home, 'workspace', 'python3'), `#!/bin/sh\ntouch "${home}/ran"\n`, { mode: 0o755 });
  making = { ...making, searchPath: `${path.join(home, 'workspace')}:.` };
  assert.equal(await problem(), 'python_missing|');
  assert.ok(!fs.existsSync(path.join(home, 'ran')));
});

test('what fails leaves nothing behind, and the old one stays', async () => {
  script('python3', MAKES);
  const old = await makeEnvironment(making);
  script('python3', MAKES.replace("printf '#!", "echo 'NewConnectionError: Temporary failure in name resolution'; exit 1; printf '#!"));
  assert.match(await problem(), /^no_network\|/);
  assert.deepEqual(left().sort(), [path.basename(old.folder), OWN].sort());
});

test('stopping ends the program and says so', async () => {
  script('python3', `${MAKES}\ncase "$*" in *"-m pip"*) exec sleep 30 ;; esac`);
  making = { ...making, report: () => undefined };
  setTimeout(() => stop.abort(), 300);
  assert.equal(await problem(), 'cancelled|');
  assert.deepEqual(left(), []);
});

test('the proxy of the editor is handed on', async () => {
  script('python3', `echo "$HTTPS_PROXY" >> "${home}/proxy"\n${MAKES}`);
  await makeEnvironment({ ...making, proxy: 'http://proxy.invalid:3128' });
  assert.match(fs.readFileSync(path.join(home, 'proxy'), 'utf8'), /^http:\/\/proxy\.invalid:3128\n/);
});

test('without a wheel nothing is begun', async () => {
  fs.rmSync(path.join(home, 'wheel'), { recursive: true });
  assert.match(await problem(), /^no_wheel\|/);
  assert.deepEqual(left(), []);
});
