import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as vscode from 'vscode';
import { api, eventually, forget, run, test } from './harness';

test('the models page lists what there is, with the speed of what is here, and runs no script', async () => {
  const { models } = await api();
  await run('postil.models');
  assert.match(models.html, /<h2>Language model<\/h2><p class="none">None is set: answers are extracts/);
  assert.match(models.html, /No Ollama server answers|no Ollama server answers|Ollama at http/);
  const row = (setting: string) => new RegExp(`<tr><td>${setting}.*?</tr>`).exec(models.html)?.[0] ?? '';
  assert.match(row('postil-static'), /English, Chinese<\/td><td class="number">17 MB<\/td><td class="number">256<\/td>/);
  assert.match(row('packaged-minilm'), /recommended/);
  assert.match(row('fastembed:intfloat/multilingual-e5-large'), /many.*Download and use/);
  await eventually(() => /<td class="number">256<\/td><td class="number">[\d,]+<\/td>/.test(row('postil-static')), row('postil-static'));
  assert.doesNotMatch(models.html, /<script|onclick/);
});

test('a button of the page may run what the page has buttons for, and nothing else', async () => {
  const { models } = await api();
  const commands = new Set([...models.html.matchAll(/href="command:([\w.]+)/g)].map(([, name]) => name));
  assert.deepEqual([...commands].sort(), ['postil.modelSettings', 'postil.status', 'postil.takeModel']);
  await run('workbench.action.closeActiveEditor');
});

test('another embedding model is taken, and its vectors are made while the old ones answer', async () => {
  const { session } = await api();
  await run('postil.takeModel', 'postil-static');
  const folders = async () => (await session.request<{ folders: { serving: string | null }[] }>('postil/models', {})).folders;
  await eventually(async () => (await folders())[0]?.serving === 'postil-static', 'it does not serve');
});

test('a model that is none is refused in the server\'s words', async () => {
  const { session } = await api();
  await assert.rejects(session.request('postil/takeModel', { setting: 'nonsense' }), /'nonsense' names no embedding model/);
});

test('a language model that can\'t be reached shows in the status bar; none on purpose does not', async () => {
  const { bar } = await api();
  await run('postil.useLanguageModel', { provider: 'ollama', name: 'qwen2.5:7b', endpoint: 'http://127.0.0.1:9' });
  assert.equal(vscode.workspace.getConfiguration('postil.llm').inspect('endpoint')?.globalValue, 'http://127.0.0.1:9');
  await eventually(() => {
    bar.look();
    return bar.shown.text === '$(book) Postil: no model';
  }, () => `the bar says ${bar.shown.text}`);
  assert.match(bar.shown.tooltip, /no Ollama server answers at http:\/\/127\.0\.0\.1:9/);
  await run('postil.useLanguageModel', { provider: '', name: '', endpoint: '' });
  await eventually(() => {
    bar.look();
    return bar.shown.text === '$(book) Postil';
  }, () => `the bar says ${bar.shown.text}`);
  await forget('postil.llm', 'provider', 'model', 'endpoint');
});

/** An Ollama server whose model says one word and then thinks on. */
function thinking(): http.Server {
  const model = { model: 'slow', name: 'slow', digest: '0a1b2c3d4e5f', size: 1, details: { family: 'x', parameter_size: '1B' } };
  return http.createServer((request, response) => {
    if (request.url === '/api/chat') {
      response.write(`${JSON.stringify({ model: 'slow', message: { role: 'assistant', content: 'Workers ' }, done: false })}\n`);
      return;
    }
    const shown = { details: model.details, model_info: { 'general.architecture': 'x', 'x.context_length': 8192 }, capabilities: ['completion'] };
    response.end(JSON.stringify(request.url === '/api/tags' ? { models: [model] } : shown));
  });
}

test('an answer that a model still writes is stopped, and what came of it stays', async () => {
  const { asking, session } = await api();
  const server = thinking();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    await run('postil.useLanguageModel', { provider: 'ollama', name: 'slow', endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const { language } = await session.request<{ language: { state: string } }>('postil/model', {});
    assert.equal(language.state, 'ready'); // at once: the server that answers has the settings
    void run('postil.ask', 'who extends the lease of a job?');
    const turn = () => asking.thread.at(-1);
    await eventually(() => turn()?.text.startsWith('Workers'), () => `it says ${JSON.stringify(turn())}`);
    await run('postil.answer.stop');
    await eventually(() => turn()?.phase === 'stopped', 'it is not stopped');
    assert.equal(turn()!.text.trim(), 'Workers');
  } finally {
    await forget('postil.llm', 'provider', 'model', 'endpoint');
    server.closeAllConnections();
    server.close();
  }
});
