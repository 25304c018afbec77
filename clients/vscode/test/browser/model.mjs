// Answers by a language model: model.mjs WORKSPACE SERVER VSIX SCRATCH SETTINGS REAL-OR-SCRIPTED [THEME]
// The scripted model waits after its first words until it is stopped, and says one thing that no source says.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';
import { finish, step } from './steps.mjs';
import { PATIENCE_MS, Window } from './window.mjs';

const [workspace, server, vsix, scratch] = process.argv.slice(2, 6).map((file) => path.resolve(file));
const [given, kind, theme = 'Default Light Modern'] = process.argv.slice(6);
const QUESTION = 'What happens when extending a lease?';

const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}
fs.mkdirSync(path.join(scratch, 'pictures'), { recursive: true });
const editor = await startEditor({ folder: scratch, vsix, settings: { 'postil.server.path': server, 'workbench.colorTheme': theme, ...JSON.parse(given) } });
const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const window = new Window(page, path.join(scratch, 'pictures'));
const turn = (selector = '') => window.webview(`.turn:last-child${selector}`);

async function ask() {
  await window.command('Postil: Ask…');
  await window.type(QUESTION);
}

await finish(async () => {
  await window.goto(address(editor.port, workspace));
  await window.barTip('Postil is ready');
  await window.open('lease protocol.md');
  if (kind === 'scripted') {
    await step('the words come as they are written, and can be stopped', async () => {
      await ask();
      await turn(' .text:has-text("Extending")').waitFor({ timeout: PATIENCE_MS });
      assert.equal(await turn().getAttribute('aria-busy'), 'true');
      assert.ok((await turn(' .source').count()) > 0); // the sources are there first
      await window.picture('streaming');
      await turn(' .stop').click();
      await turn('[aria-busy="false"] .status:has-text("Stopped")').waitFor({ timeout: PATIENCE_MS });
      assert.match(await turn(' .text').innerText(), /^Extending/); // what came stays
    });
    await step('a sentence that no source bears out is marked, and the model is named', async () => {
      await ask();
      await turn('[aria-busy="false"] .status:has-text("ollama")').waitFor({ timeout: PATIENCE_MS });
      assert.equal(await turn(' .sign.notFound').count(), 1);
      assert.match(await turn(' mark').innerText(), /Zebras/);
      await window.picture('marked');
    });
    await step('a thumb is told to the server', async () => {
      await turn(' .thumb.good').click();
      await turn(' .thumb.good[aria-pressed="true"]').waitFor({ timeout: PATIENCE_MS });
    });
  } else {
    await step('a small real model answers', async () => {
      await ask();
      await turn('[aria-busy="false"] .status:not(:empty)').waitFor({ timeout: 3 * PATIENCE_MS });
      assert.match(await turn(' .status').innerText(), /^Written by /);
      assert.ok((await turn(' .text').innerText()).length > 10);
      await window.picture('real');
    });
  }
}, () => window.picture('failed'), async () => {
  await browser.close();
  editor.stop();
});
