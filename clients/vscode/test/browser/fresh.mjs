// How long a person waits from a fresh profile to the first hover: fresh.mjs WORKSPACE VSIX SCRATCH ROUNDS
// Prints JSON in seconds: {button, unseen, known, plain}. `button`: from the press on "Set up Postil". The others are
// lists of {note, hover}, from the opening of a window until its note is there, and until the hover: in a folder that was
// never indexed, in one that was, and in an editor whose only extension has a hover that needs nothing.

import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';
import { Window } from './window.mjs';

const SET_UP_MS = 5 * 60_000;
const OFTEN_MS = 500; // between two tries: a longer one would be counted as a whole
const PATIENT_MS = 1000; // once Postil is in the status bar: a little longer than the editor takes to say that it waits for an answer
const LOOK_MS = 100; // while it says so
const ENDING_MS = 8000;
const [workspace, vsix, scratch] = process.argv.slice(2, 5).map((file) => path.resolve(file));
const rounds = Number(process.argv[5] ?? 1);
const NOTE = 'notes/draft.md';

const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}
fs.mkdirSync(path.join(scratch, 'pictures'), { recursive: true });
fs.writeFileSync(path.join(workspace, NOTE), 'Retries use exponential backoff with full jitter, so that jobs that failed together do not come back together.\n');
const unseen = Array.from({ length: rounds }, (_, number) => path.join(scratch, `folder-${number}`));
unseen.forEach((folder) => fs.cpSync(workspace, folder, { recursive: true }));
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin' };
const editor = await startEditor({ folder: scratch, vsix, environment });
const other = await startEditor({ folder: path.join(scratch, 'plain'), vsix: packed('test/browser/plain'), environment });
const browser = await startBrowser();
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const since = (start) => Number(((performance.now() - start) / 1000).toFixed(2));

/** The extension of a folder of this client's, as a file. */
function packed(folder) {
  const file = path.join(scratch, 'plain.vsix');
  const options = ['package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '--out', file];
  const done = spawnSync(path.resolve('node_modules/.bin/vsce'), options, { cwd: folder, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stdout + done.stderr);
  return file;
}

/** As `code FOLDER NOTE` opens it; after the first time the editor's own code comes from the browser's cache. */
async function open(folder, { port } = editor) {
  const page = await context.newPage();
  const window = new Window(page, path.join(scratch, 'pictures'));
  const note = `vscode-remote://127.0.0.1:${port}${path.join(folder, NOTE)}`;
  await page.goto(address(port, folder, [['openFile', note]]));
  await window.place('exponential');
  return window;
}

/** Settled when the hover is shown, which the keyboard asks for again and again. */
async function firstHover(window) {
  const shown = window.page.locator('.monaco-hover:visible').filter({ hasText: 'Retries' }).first();
  const loading = window.page.locator('.monaco-hover:visible').filter({ hasText: 'Loading' }).first();
  const { x, y } = await window.place('exponential');
  await window.page.mouse.click(x, y);
  for (const until = Date.now() + SET_UP_MS; Date.now() < until; ) {
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('Control+I');
    let patience = (await window.bar.isVisible()) ? PATIENT_MS : OFTEN_MS;
    do {
      if (await shown.waitFor({ timeout: patience }).then(() => true, () => false)) {
        return;
      }
      patience = LOOK_MS;
    } while (await loading.isVisible()); // who asks again takes back what was asked before
  }
  throw new Error('no hover shows what is related');
}

/** And what it had running has ended. */
async function close(window) {
  await window.page.close();
  await new Promise((ended) => setTimeout(ended, ENDING_MS));
}

async function toHover(folder, server = editor) {
  const start = performance.now();
  const window = await open(folder, server);
  const note = since(start);
  await firstHover(window);
  const hover = since(start);
  await close(window);
  return { note, hover };
}

try {
  const window = await open(workspace);
  await window.barSays('Set up Postil');
  const start = performance.now();
  await window.bar.click();
  await window.barTip('Postil is ready', SET_UP_MS);
  await firstHover(window);
  const took = { button: since(start), unseen: [], known: [], plain: [] };
  await close(window);
  await close(await open(workspace, other)); // its code is from another place for the browser, and not in its cache yet
  for (const folder of unseen) {
    took.unseen.push(await toHover(folder));
    took.known.push(await toHover(workspace));
    took.plain.push(await toHover(workspace, other));
  }
  console.log(JSON.stringify(took));
} finally {
  await browser.close();
  editor.stop();
  other.stop();
}
process.exit();
