// How long a person waits from a fresh profile to the first hover: fresh.mjs WORKSPACE VSIX SCRATCH
// Prints seconds: without an environment, by the button; then in a new window, with the one that it made.

import fs from 'node:fs';
import path from 'node:path';
import { address, startBrowser, startEditor } from '../editor/launch.mjs';
import { Window } from './window.mjs';

const SET_UP_MS = 5 * 60_000;
const OFTEN_MS = 1000; // between two tries to hover: a longer one would be counted as a whole
const [workspace, vsix, scratch] = process.argv.slice(2, 5).map((file) => path.resolve(file));
fs.mkdirSync(path.join(scratch, 'pictures'), { recursive: true });
fs.writeFileSync(path.join(workspace, 'notes/draft.md'), 'Retries use exponential backoff with full jitter, so that jobs that failed together do not come back together.\n');
const editor = await startEditor({ folder: scratch, vsix, environment: { PATH: '/usr/local/bin:/usr/bin:/bin' } });
const browser = await startBrowser();

async function open() {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const window = new Window(page, path.join(scratch, 'pictures'));
  await window.goto(address(editor.port, workspace));
  await window.open('draft.md');
  return window;
}

try {
  let window = await open();
  await window.barSays('Set up Postil');
  let since = Date.now();
  await window.bar.click();
  await window.barTip('Postil is ready', SET_UP_MS);
  await window.hover('exponential', 'Retries');
  console.log(`from the button to the first hover: ${((Date.now() - since) / 1000).toFixed(1)} s`);
  await window.page.close();
  since = Date.now();
  window = await open();
  console.log(`until the window is there: ${((Date.now() - since) / 1000).toFixed(1)} s`);
  await window.hover('exponential', 'Retries', OFTEN_MS);
  console.log(`until the first hover, with an environment: ${((Date.now() - since) / 1000).toFixed(1)} s`);
} finally {
  await browser.close();
  editor.stop();
}
process.exit();
