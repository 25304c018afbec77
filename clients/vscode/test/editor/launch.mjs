// VS Code's own server, from the npm package code-server, with a page of it in headless Chromium.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const CACHE = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
const HOME = process.env.POSTIL_TEST_EDITOR ?? path.join(CACHE, 'postil-test/code-server-4.100.3');
const MAIN = path.join(HOME, 'node_modules/code-server/lib/vscode/out/server-main.js');
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** What is missing to run at all, in words; empty where nothing is. */
export function missing() {
  const lacks = [];
  if (!fs.existsSync(path.join(HOME, '.complete'))) lacks.push(`VS Code's server (clients/vscode/test/editor/install.sh puts it into ${HOME})`);
  if (!BROWSERS.some((file) => fs.existsSync(file))) lacks.push('Chromium (apt install chromium)');
  return lacks.join(' and ');
}

/** An editor with a profile of its own in `folder`. */
export async function startEditor({ folder, settings = {}, trusted = true, environment = {}, vsix }) {
  const data = path.join(folder, 'editor');
  const places = ['--server-data-dir', data, '--extensions-dir', path.join(folder, 'extensions'), '--accept-server-license-terms'];
  fs.mkdirSync(path.join(data, 'data/Machine'), { recursive: true });
  const quiet = { 'telemetry.telemetryLevel': 'off', 'workbench.startupEditor': 'none', 'workbench.tips.enabled': false };
  fs.writeFileSync(path.join(data, 'data/Machine/settings.json'), JSON.stringify({ ...quiet, ...settings }));
  const env = { ...process.env, ...environment };
  if (vsix) {
    const done = spawnSync(process.execPath, [MAIN, ...places, '--install-extension', vsix], { env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stdout + done.stderr);
  }
  const trust = trusted ? ['--disable-workspace-trust'] : [];
  const args = [MAIN, '--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--enable-smoke-test-driver', ...places, ...trust];
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const port = await new Promise((resolve, reject) => {
    let said = '';
    server.stdout.on('data', (text) => {
      said += text;
      const found = /listening on (\d+)/.exec(said);
      if (found) resolve(Number(found[1]));
    });
    server.on('exit', () => reject(new Error(said)));
  });
  server.stderr.resume();
  return { port, stop: () => server.kill() };
}

export function startBrowser() {
  return chromium.launch({ executablePath: BROWSERS.find((file) => fs.existsSync(file)), headless: true, args: FLAGS });
}

export function address(port, folder, payload = []) {
  const more = payload.length ? `&payload=${encodeURIComponent(JSON.stringify(payload))}` : '';
  return `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}${more}`;
}
