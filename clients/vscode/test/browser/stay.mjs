// Opens a folder in the real editor and stays: stay.mjs WORKSPACE SERVER VSIX SCRATCH
// Says "ready" once the folder is indexed. For each line on its input, a question, it searches as a person does and
// prints the first row that it found. Ends with its input.

import readline from 'node:readline';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';
import { PATIENCE_MS, Window } from './window.mjs';

const [workspace, server, vsix, scratch] = process.argv.slice(2);

const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}
const editor = await startEditor({ folder: scratch, vsix, settings: { 'postil.server.path': server } });
const browser = await startBrowser();
try {
  const window = new Window(await browser.newPage({ viewport: { width: 1280, height: 800 } }), scratch);
  await window.goto(address(editor.port, workspace));
  await window.barTip('Postil is ready');
  console.log('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [question, expected] = line.split('\t');
    await window.command('Postil: Search…');
    await window.page.locator('.quick-input-widget input[placeholder^="Search notes"]').waitFor({ timeout: PATIENCE_MS }); // no longer the palette
    await window.input.fill(question);
    const row = window.rows(expected).first();
    await row.waitFor({ timeout: PATIENCE_MS });
    console.log((await row.innerText()).replaceAll('\n', ' '));
    await window.page.keyboard.press('Escape');
  }
} finally {
  await browser.close();
  editor.stop();
}
process.exit();
