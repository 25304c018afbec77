// Answers by a language model: model.mjs WORKSPACE SERVER VSIX SCRATCH SETTINGS REAL-OR-SCRIPTED [THEME [PAYLOADS]]
// The scripted model waits after its first words until it is stopped, says one thing that no source says, and then in
// each answer texts that want to be a picture, a link, a command. PAYLOADS is JSON: the numbers of those in each answer.
// The workspace is changed: a note with a hostile title is written into it.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';
import { finish, step } from './steps.mjs';
import { harmless, PATIENCE_MS, Window } from './window.mjs';

const [workspace, server, vsix, scratch] = process.argv.slice(2, 6).map((file) => path.resolve(file));
const [given, kind, theme = 'Default Light Modern', payloads] = process.argv.slice(6);
const QUESTION = 'What happens when extending a lease?';

const HOSTILE = `---
title: "$(flame) <img src=https://evil.example/t.png> $(zap) quagga"
---
# $(flame) <img src=https://evil.example/h.png onerror=alert(1)> quagga

The quagga sweeper wakes at dawn and counts the leases of the quagga herd.
`;
const DRAFT = 'The quagga sweeper wakes at dawn, and counts the leases of the quagga herd.\n';

const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}
fs.mkdirSync(path.join(scratch, 'pictures'), { recursive: true });
fs.writeFileSync(path.join(workspace, 'notes/$(flame) quagga.md'), HOSTILE);
fs.writeFileSync(path.join(workspace, 'notes/sweeping.md'), DRAFT);
const editor = await startEditor({ folder: scratch, vsix, settings: { 'postil.server.path': server, 'workbench.colorTheme': theme, ...JSON.parse(given) } });
const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const window = new Window(page, path.join(scratch, 'pictures'));
const outside = [];
page.context().on('request', (request) => /evil/.test(new URL(request.url()).host) && outside.push(request.url()));
const turn = (selector = '') => window.webview(`.turn:last-child${selector}`);

async function ask(question = QUESTION) {
  await window.command('Postil: Ask…');
  await window.type(question);
}

/** The rows' first shows the title letter for letter: no icon of it, no picture. */
async function titled(rows) {
  const row = rows.filter({ hasText: '<img src=https://evil.example/' }).first();
  await row.waitFor({ timeout: PATIENCE_MS });
  assert.match(await row.innerText(), /\$\u200b?\(flame\)/);
  assert.equal(await row.locator('.codicon-flame, .codicon-zap, img, a[href^="command:"]').count(), 0);
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
      const dark = await window.webview('body').evaluate((body) => body.classList.contains('vscode-dark'));
      assert.equal(dark, theme.includes('Dark'));
    });
    await step('a thumb is told to the server', async () => {
      await turn(' .thumb.good').click();
      await turn(' .thumb.good[aria-pressed="true"]').waitFor({ timeout: PATIENCE_MS });
    });
    await step('nothing that the model was made to say becomes an element, a link or a request', async () => {
      let said = '';
      for (const numbers of JSON.parse(fs.readFileSync(payloads, 'utf8'))) {
        await ask(`What happens when extending a lease for job ${numbers[0]}?`); // to a known question the model is not asked again
        await turn(`[aria-busy="false"] .text:has-text("Payload ${numbers.at(-1)} ends")`).waitFor({ timeout: PATIENCE_MS });
        said += await turn(' .text').innerText();
        await harmless(turn(' .text'));
        await harmless(turn(' .sources'));
        numbers.forEach((number) => assert.ok(said.includes(`Payload ${number} begins`), said));
      }
      assert.match(said, /javascript[^]*<script>[^]*<svg/); // they came so far, as the texts that they are
      await window.picture('payloads');
      assert.deepEqual(outside, []);
    });
    await step('a hostile title is a text in the search and in the related view', async () => {
      await window.command('Postil: Search…');
      await page.locator('.quick-input-widget input[placeholder^="Search notes"]').waitFor({ timeout: PATIENCE_MS });
      await window.input.pressSequentially('quagga sweeper herd', { delay: 20 });
      await titled(window.rows('quagga'));
      await window.picture('title-in-search');
      await page.keyboard.press('Escape');
      await window.open('sweeping.md', 1);
      await window.command('Postil: Related Notes');
      await titled(page.locator('.pane-body .monaco-list-row').filter({ hasText: 'quagga' }));
      await window.picture('title-in-related');
      assert.deepEqual(outside, []);
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
