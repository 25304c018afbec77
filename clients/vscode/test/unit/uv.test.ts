// A uv that has no Python new enough and may not fetch one.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { beforeEach, test } from 'node:test';
import { makeEnvironment, Making } from '../../src/server/environment';
import { ProblemError } from '../../src/server/problems';

let home: string;
let making: Making;

function script(name: string, body: string): string {
  const file = path.join(home, 'bin', name);
  fs.writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return file;
}

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'postil uv '));
  ['bin', 'wheel', 'storage'].forEach((folder) => fs.mkdirSync(path.join(home, folder)));
  fs.writeFileSync(path.join(home, 'wheel', 'postil-0.1.0-py3-none-any.whl'), '');
  making = {
    setting: '', storage: path.join(home, 'storage'), searchPath: path.join(home, 'bin'), workspaceFolders: [], windows: false,
    wheels: path.join(home, 'wheel'), version: '0.1.0', interpreter: '', proxy: '', report: () => undefined, signal: new AbortController().signal,
  };
  script('uv', `
echo "  × No interpreter found for Python >=3.11 in managed installations or search" >&2
echo "  │ path" >&2
echo "hint: A managed Python download is available, but Python downloads are set to never" >&2
exit 2`);
});

const problem = () => makeEnvironment(making).then(() => undefined, (error: unknown) => (error as ProblemError).problem);

test('the Python on PATH that is too old is named, not what uv printed', async () => {
  const old = script('python3', 'echo "postil-python 3 9"');
  assert.deepEqual(await problem(), { code: 'python_old', detail: `${old} (3.9)` });
});

test('without any Python that is what is said', async () => {
  assert.deepEqual(await problem(), { code: 'python_missing', detail: '' });
});

test('a Python that uv did not find makes it all the same', async () => {
  script('python3', `
case "$*" in
  *postil-python*) echo "postil-python 3 12" ;;
  *"-m venv"*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/python" ;;
esac`);
  assert.equal((await makeEnvironment(making)).version, '0.1.0');
});
