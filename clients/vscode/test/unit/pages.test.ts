// The scripts of the pages, in a real browser: focus, drafts and what a screen reader is told.

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { after, before, test } from 'node:test';
import { begun, ended, Turn } from '../../src/answer/state';

type Playwright = typeof import('playwright-core');
type Page = Awaited<ReturnType<Awaited<ReturnType<Playwright['chromium']['launch']>>['newPage']>>;

const { chromium } = createRequire(__filename)('playwright-core') as Playwright; // it can't be bundled
const PROGRAM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => fs.existsSync(file));
const skip = PROGRAM ? false : 'there is no Chromium';
const DIST = path.join(__dirname, '../..');
const STRINGS = { ready: 'Answer ready, {0} sources', readyOne: 'Answer ready, one source', stop: 'Stop', copy: 'Copy', insert: 'Insert', save: 'Save', good: 'Helpful', bad: 'Not helpful', sources: 'Sources', source: 'Open source {0}' };
const EDITOR = `window.said = []; window.acquireVsCodeApi = () => ({
  postMessage: (message) => said.push(message), getState: () => JSON.parse(sessionStorage.state ?? 'null'), setState: (state) => { sessionStorage.state = JSON.stringify(state); } })`;
const ANSWER = `<main id="thread"></main><p id="said" role="status"></p><button id="fresh"></button><button id="past"></button>
<form id="follow"><textarea id="question"></textarea><button>Ask</button></form><script type="application/json" id="strings">${JSON.stringify(STRINGS)}</script>`;

let browser: Awaited<ReturnType<Playwright['chromium']['launch']>> | undefined;

before(async () => {
  browser = PROGRAM ? await chromium.launch({ executablePath: PROGRAM, headless: true, args: ['--no-sandbox', '--disable-gpu'] }) : undefined;
});
after(() => browser?.close());

/** A page of the editor with one of the scripts. */
async function opened(body: string, script: 'answer.js' | 'live.js'): Promise<Page> {
  const page = await browser!.newPage();
  await page.addInitScript(EDITOR);
  const code = fs.readFileSync(path.join(DIST, script), 'utf8');
  await page.route('**/*', (route) => route.request().url().endsWith('.js')
    ? route.fulfill({ contentType: 'text/javascript', body: code })
    : route.fulfill({ contentType: 'text/html', body: `<!DOCTYPE html><body>${body}<script src="/${script}"></script></body>` }));
  await page.goto('http://page.invalid/');
  return page;
}

const tell = (page: Page, message: unknown) => page.evaluate((data) => void window.dispatchEvent(new MessageEvent('message', { data })), message);
const thread = (page: Page, ...turns: Turn[]) => tell(page, { is: 'thread', turns, labels: turns.map(() => ({})) });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);
const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
const running: Turn = { ...begun('a', 'Is it so?'), text: 'It is', sources: [1, 2].map((number) => ({ number, uri: 'file:///w/a.md', range })) };
const done = ended(running, { id: '7', text: 'It is so. [1] [2]', model: null, citations: running.sources, sentences: [], nearest: [], finish: 'complete' });

test('a button keeps the focus when a verdict comes, and gives it on when it goes', { skip }, async () => {
  const page = await opened(ANSWER, 'answer.js');
  await thread(page, running);
  assert.deepEqual(await page.locator('.tools button:visible').allInnerTexts(), ['Stop']);
  await page.locator('.stop').focus();
  await thread(page, done);
  assert.equal(await focused(page), 'Copy');
  assert.equal(await page.locator('.tools button:visible').count(), 5);
  await page.locator('.thumb.bad').focus();
  await thread(page, { ...done, verdict: 'bad' });
  assert.equal(await focused(page), 'Not helpful');
  assert.deepEqual(await page.locator('.thumb').evaluateAll((thumbs) => thumbs.map((thumb) => thumb.getAttribute('aria-pressed'))), ['false', 'true']);
  await page.close();
});

test('a number in the text keeps the focus while more text comes', { skip }, async () => {
  const page = await opened(ANSWER, 'answer.js');
  await thread(page, { ...running, text: 'It is [1] so [2]' });
  await page.locator('a.citation').nth(1).focus();
  await thread(page, { ...running, text: 'It is [1] so [2] and more' });
  assert.equal(await focused(page), 'Open source 2');
  await page.close();
});

test('that an answer is ready is said, and an old one is not said again', { skip }, async () => {
  const page = await opened(ANSWER, 'answer.js');
  const heard = () => page.locator('#said').textContent();
  await thread(page, running);
  assert.equal(await heard(), '');
  await thread(page, done);
  assert.equal(await heard(), 'Answer ready, 2 sources');
  await thread(page, done, { ...running, key: 'b' });
  assert.equal(await heard(), '');
  await thread(page, done, { ...done, key: 'b', sources: done.sources.slice(1) });
  assert.equal(await heard(), 'Answer ready, one source');
  await page.reload(); // as when its tab is shown again
  await thread(page, done);
  assert.equal(await heard(), '');
  await page.close();
});

test('what was typed is there again when the page comes back, until it is asked', { skip }, async () => {
  const page = await opened(ANSWER, 'answer.js');
  await page.locator('#question').pressSequentially('and who');
  await page.reload();
  assert.equal(await page.locator('#question').inputValue(), 'and who');
  await tell(page, { is: 'focus' });
  assert.equal(await focused(page), 'question');
  await page.locator('#question').press('Enter');
  assert.deepEqual(await page.evaluate(() => (window as unknown as { said: unknown[] }).said.at(-1)), { is: 'ask', question: 'and who' });
  await page.reload();
  assert.equal(await page.locator('#question').inputValue(), '');
  await page.close();
});

test('a page whose numbers change keeps focus, scrolling and selection', { skip }, async () => {
  const body = (files: number, more = '') => `<h1>Postil</h1><p><a href="command:a" role="button">Pause</a> <a href="command:b" role="button">Log</a></p>${more}<table><tr><th>Files</th><td id="files">${files}</td></tr></table><div style="height: 4000px"></div>`;
  const page = await opened(`<main id="page">${body(1)}</main>`, 'live.js');
  assert.deepEqual(await page.evaluate(() => (window as unknown as { said: unknown[] }).said), ['ready']);
  await page.locator('a').nth(1).focus();
  await page.evaluate(() => {
    scrollTo(0, 900);
    getSelection()!.selectAllChildren(document.querySelector('th')!);
  });
  await tell(page, { body: body(2) });
  const state = () => page.evaluate(() => [document.activeElement!.textContent, scrollY, String(getSelection()), document.querySelector('#files')!.textContent]);
  assert.deepEqual(await state(), ['Log', 900, 'Files', '2']);
  await tell(page, { body: body(3, '<p>A failure</p>').replace('<p><a href="command:a" role="button">Pause</a> ', '<p>') });
  assert.deepEqual((await state()).slice(0, 2), ['Log', 900]); // its part was made anew
  assert.equal(await page.locator('#page').innerHTML(), body(3, '<p>A failure</p>').replace('<p><a href="command:a" role="button">Pause</a> ', '<p>').replace('<table><tr>', '<table><tbody><tr>').replace('</tr></table>', '</tr></tbody></table>'));
  await page.close();
});
