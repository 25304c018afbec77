// Runs the tests of test/host inside VS Code's extension host: run.mjs WORKSPACE SERVER SCRATCH

import path from 'node:path';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';

const PATIENCE_MS = 560_000; // less than the test that started this has
const [workspace, server, scratch] = process.argv.slice(2).map((file) => path.resolve(file));
const here = path.resolve(import.meta.dirname, '../..');

const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}
const editor = await startEditor({ folder: scratch, settings: { 'postil.server.path': server } });
const browser = await startBrowser();
try {
  const page = await (await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })).newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const ended = new Promise((resolve) => {
    void page.exposeFunction('codeAutomationLog', (_kind, said) => console.log(...said));
    void page.exposeFunction('codeAutomationExit', (code) => resolve(code));
    setTimeout(() => { console.log('not ok: the editor did not end in time'); resolve(1); }, PATIENCE_MS);
  });
  const remote = (file) => `vscode-remote://127.0.0.1:${editor.port}${file}`;
  await page.goto(address(editor.port, workspace, [
    ['extensionDevelopmentPath', remote(here)],
    ['extensionTestsPath', remote(path.join(here, 'dist/test/host/index.js'))],
    ['skipWelcome', 'true'],
  ]));
  process.exitCode = await ended;
} finally {
  await browser.close();
  editor.stop();
}
process.exit();
