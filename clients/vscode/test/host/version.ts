import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { api, eventually, instead, test } from './harness';

/** A language server that starts, says this version, and knows nothing. */
function serverOfVersion(version: string, folder: string): string {
  const file = path.join(folder, 'postil');
  const program = `#!${process.execPath}
let read = Buffer.alloc(0);
process.stdin.on('data', (more) => {
  read = Buffer.concat([read, more]);
  for (;;) {
    const head = read.indexOf('\\r\\n\\r\\n');
    const length = head < 0 ? 0 : Number(/Content-Length: (\\d+)/i.exec(read.subarray(0, head).toString())[1]);
    if (head < 0 || read.length < head + 4 + length) return;
    const { id, method } = JSON.parse(read.subarray(head + 4, head + 4 + length).toString());
    read = read.subarray(head + 4 + length);
    if (method === 'exit') process.exit(0);
    if (id === undefined || method === undefined) continue;
    const result = method === 'initialize' ? { capabilities: {}, serverInfo: { name: 'postil', version: '${version}' } } : null;
    const body = JSON.stringify({ jsonrpc: '2.0', id, result });
    process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body);
  }
});
`;
  fs.writeFileSync(file, program, { mode: 0o755 });
  return file;
}

test('a server of another version is named, with what to do; one of the same is not', async () => {
  const { session } = await api();
  const config = vscode.workspace.getConfiguration('postil.server');
  const before = config.inspect<string>('path')?.globalValue;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'postil-version-'));
  const stub = serverOfVersion('0.0.1', folder);
  const warned: unknown[][] = [];
  const restore = instead('showWarningMessage', async (...said: unknown[]) => void warned.push(said));
  const runs = (version: string) => eventually(() => session.phase.is === 'running' && session.version === version, () => `${session.phase.is}, version ${session.version}: ${session.words()}`);
  try {
    await config.update('path', stub, vscode.ConfigurationTarget.Global);
    await runs('0.0.1');
    assert.deepEqual(warned, [[`Postil's server (${stub}) is version 0.0.1, the extension is version 0.1.0.`, 'Use a private environment']]);
    await config.update('path', before, vscode.ConfigurationTarget.Global);
    await runs('0.1.0');
    assert.equal(warned.length, 1);
  } finally {
    restore();
    await config.update('path', before, vscode.ConfigurationTarget.Global);
    fs.rmSync(folder, { recursive: true });
  }
});
