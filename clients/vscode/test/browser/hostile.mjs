// A folder that wants to be run: planted programs, settings and configuration. hostile.mjs WORKSPACE SERVER VSIX SCRATCH

import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { address, missing, startBrowser, startEditor } from '../editor/launch.mjs';
import { finish, step } from './steps.mjs';
import { PATIENCE_MS, Window } from './window.mjs';

const [workspace, server, vsix, scratch] = process.argv.slice(2, 6).map((file) => path.resolve(file));
const lacks = missing();
if (lacks) {
  console.log(`skipped: ${lacks}`);
  process.exit(0);
}

const ran = path.join(scratch, 'ran');
function plant(name) {
  const file = path.join(workspace, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> "${ran}"\nexit 1\n`, { mode: 0o755 });
}
fs.mkdirSync(path.join(scratch, 'pictures'), { recursive: true });
for (const name of ['postil', '.venv/bin/postil', '.venv/bin/python', 'bin/postil', 'python3', 'uv', 'Scripts/postil.exe']) {
  plant(name);
}
/** A port of this machine that answers nothing, and how often it was reached. */
async function listening() {
  const heard = { port: 0, reached: 0, close: () => server.close() };
  const server = net.createServer((socket) => {
    heard.reached += 1;
    socket.destroy();
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  heard.port = server.address().port;
  return heard;
}
const planted = await listening();
const own = await listening(); // the user's own model, which never answers
const endpoint = `http://127.0.0.1:${planted.port}`;
fs.mkdirSync(path.join(workspace, '.vscode'), { recursive: true });
fs.writeFileSync(path.join(workspace, '.vscode/settings.json'), JSON.stringify({
  'postil.server.path': path.join(workspace, '.venv/bin/postil'),
  'postil.server.interpreter': path.join(workspace, 'python3'),
  'postil.folders': ['/etc'],
  'postil.llm.provider': 'openai',
  'postil.llm.endpoint': endpoint,
  'postil.llm.model': 'planted',
  'python.defaultInterpreterPath': path.join(workspace, '.venv/bin/python'),
}));
fs.writeFileSync(path.join(workspace, '.postil.toml'), `folders = ["/etc"]\n[llm]\nprovider = "openai"\nendpoint = "${endpoint}"\nmodel = "planted"\n[embedding]\nprose = "ollama:planted"\nendpoint = "${endpoint}"\n`);

const nothingRan = () => assert.equal(fs.existsSync(ran) ? fs.readFileSync(ran, 'utf8') : '', '');
const searchPath = ['.', '', './bin', path.join(workspace, 'bin'), path.join(workspace, '.venv/bin'), workspace, '/usr/bin', '/bin'].join(':');
const browser = await startBrowser();
let editor;
async function openWindow(name, settings) {
  editor?.stop();
  const folder = path.join(scratch, name);
  editor = await startEditor({ folder, settings, vsix, trusted: false, environment: { PATH: `${searchPath}:${path.dirname(process.execPath)}` } });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const window = new Window(page, path.join(scratch, 'pictures'));
  await window.goto(address(editor.port, workspace));
  return window;
}
async function trust(window) {
  await window.command('Workspaces: Manage Workspace Trust');
  await window.page.locator('.workspace-trust-editor .monaco-button:has-text("Trust")').first().click({ timeout: PATIENCE_MS });
}

const quiet = { 'security.workspace.trust.startupPrompt': 'never' };
let window;
await finish(async () => {
  window = await openWindow('bare', quiet);
  await step('in an untrusted folder nothing starts, and the status bar says so', async () => {
    await window.barTip('This workspace is not trusted');
    await window.picture('untrusted');
    nothingRan();
  });
  await step('a command says why it does nothing', async () => {
    await window.command('Postil: Search…');
    await window.page.locator('.notifications-toasts').filter({ hasText: 'not trusted' }).first().waitFor({ timeout: PATIENCE_MS });
    nothingRan();
  });
  await step('once it is trusted, no program of the folder is taken for the server', async () => {
    await trust(window);
    await window.barSays('Set up Postil');
    nothingRan();
  });
  const model = { 'postil.llm.provider': 'ollama', 'postil.llm.model': 'mine', 'postil.llm.endpoint': `http://127.0.0.1:${own.port}` };
  window = await openWindow('own', { ...quiet, ...model, 'postil.server.path': server });
  await step('the server of the user is started when the folder is trusted, and not before', async () => {
    await window.barTip('This workspace is not trusted');
    assert.equal(own.reached, 0);
    await trust(window);
    await window.barTip('Postil is ready');
    nothingRan();
  });
  await step('a question goes to the model of the user, and never to one of the folder', async () => {
    await window.command('Postil: Ask…');
    await window.type('how long is a lease, and who extends it?');
    await window.webview('.turn:last-child[aria-busy="false"] .source').first().waitFor({ timeout: PATIENCE_MS });
    await window.barSays('no model');
    await window.barTip(`127.0.0.1:${own.port}`);
    await window.command('Postil: Models');
    await window.webview('tr:has-text("postil-static")').first().waitFor({ timeout: PATIENCE_MS });
    assert.ok(own.reached > 0);
    assert.equal(planted.reached, 0);
  });
  await step('its settings reach no endpoint and join no folder', async () => {
    await window.command('Postil: Index Status');
    const page = window.webview('body');
    await page.locator('th:has-text("Files")').first().waitFor({ timeout: PATIENCE_MS });
    const text = await page.innerText();
    assert.doesNotMatch(text, /\/etc\b|planted/);
    assert.ok(!text.includes(`:${planted.port}`), text);
    assert.ok(text.includes(server), text);
    assert.equal(planted.reached, 0);
  });
}, () => window.picture('failed'), async () => {
  await browser.close();
  editor?.stop();
  planted.close();
  own.close();
});
