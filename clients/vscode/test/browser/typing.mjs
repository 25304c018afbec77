// Types into a long note in two windows, with Postil and without, in turn:
// typing.mjs WORKSPACE NOTE SERVER VSIX SCRATCH ROUNDS KEYS EVERY_MS
// Prints JSON: {on, off}, a list a round of the milliseconds from a key to the second frame after it.

import path from 'node:path';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';
import { PATIENCE_MS, Window } from './window.mjs';

const [workspace, note, server, vsix, scratch] = process.argv.slice(2, 7);
const [rounds, keys, every] = process.argv.slice(7).map(Number);
const WORDS = 'the lease of a job ends when its worker dies ';
const REST_MS = 1500; // what is asked after a rest is seen too

const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}
const browser = await startBrowser();
const editors = [];

async function open(name, more) {
  const editor = await startEditor({ folder: path.join(scratch, name), ...more });
  editors.push(editor);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const window = new Window(page, scratch);
  await window.goto(address(editor.port, workspace));
  if (more.vsix) {
    await window.barTip('Postil is ready');
  }
  await window.open(note, 2500);
  await page.evaluate(() => {
    const took = (globalThis.took = []);
    addEventListener('keydown', () => {
      const pressed = performance.now();
      requestAnimationFrame(() => requestAnimationFrame(() => took.push(performance.now() - pressed)));
    }, { capture: true });
  });
  return page;
}

async function round(page) {
  await page.bringToFront();
  await page.locator('.monaco-editor .view-lines').first().click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.waitForTimeout(REST_MS);
  await page.evaluate(() => { globalThis.took.length = 0; });
  for (let typed = 0; typed < keys; typed += 1) {
    await page.keyboard.press(WORDS[typed % WORDS.length] === ' ' ? 'Space' : WORDS[typed % WORDS.length]);
    await page.waitForTimeout(every);
  }
  await page.waitForTimeout(REST_MS);
  return page.evaluate(() => [...globalThis.took]);
}

try {
  const pages = {
    on: await open('on', { vsix, settings: { 'postil.server.path': server } }),
    off: await open('off', {}),
  };
  const took = { on: [], off: [] };
  for (let number = 0; number < rounds; number += 1) {
    for (const name of number % 2 ? ['off', 'on'] : ['on', 'off']) {
      took[name].push(await round(pages[name]));
    }
  }
  console.log(JSON.stringify(took));
} finally {
  await Promise.race([browser.close(), new Promise((late) => setTimeout(late, PATIENCE_MS))]);
  editors.forEach((editor) => editor.stop());
}
process.exit();
