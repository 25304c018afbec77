// The models page: what words the answers, what makes the vectors, and what else could; a button takes another.

import * as vscode from 'vscode';
import { escaped } from '../answer/panel';
import type { EmbeddingModel, Models, ModelServer } from '../protocol';
import type { Session } from '../server/session';
import { button, buttons, LivePage, rows } from '../status/livepage';
import { modelWords, proseWords } from '../status/models';

const LOOK_MS = 5_000; // new vectors are made meanwhile
const COMMANDS = ['postil.takeModel', 'postil.useLanguageModel', 'postil.status', 'postil.modelSettings', 'postil.restart'];

export class ModelsPage extends LivePage {
  /** A second for each model: measured once, when the page is first seen, after it is shown. */
  private measured: 'not' | 'asked' | 'done' = 'not';

  constructor(extension: vscode.Uri, private readonly session: Session) {
    super(extension, {
      id: 'postil.models', title: vscode.l10n.t('Postil: models'), commands: COMMANDS, everyMs: LOOK_MS, body: () => this.body(),
    });
  }

  private async body(): Promise<string> {
    const heading = `<h1>${escaped(vscode.l10n.t('Models'))}</h1>`;
    if (this.session.phase.is !== 'running') {
      return `${heading}<p>${escaped(this.session.words())}</p>${buttons([button('postil.restart', vscode.l10n.t('Restart'))])}`;
    }
    try {
      const models = await this.session.request<Models>('postil/models', { measure: this.measured === 'done' });
      this.measure();
      return `${heading}${buttons([button('postil.status', vscode.l10n.t('Index status')), button('postil.modelSettings', vscode.l10n.t('Settings'))])}${languageSection(models)}${embeddingSection(models)}`;
    } catch (error) {
      return `${heading}<p>${escaped(String(error))}</p>`;
    }
  }

  private measure(): void {
    if (this.measured === 'not') {
      this.measured = 'asked';
      void this.session.request<Models>('postil/models', { measure: true }).then(
        () => {
          this.measured = 'done'; // the server remembers
          return this.look();
        },
        () => (this.measured = 'not'),
      );
    }
  }
}

function languageSection({ language, servers }: Models): string {
  const t = vscode.l10n.t;
  const none = language.state === 'none' ? '' : buttons([button('postil.useLanguageModel', t('Use none: extracts alone'), { provider: '', name: '', endpoint: '' })]);
  const lists = servers.map((server) => serverSection(server, language.provider === server.provider ? language.name : '')).join('');
  return `<h2>${escaped(t('Language model'))}</h2><p class="${language.state}">${escaped(modelWords(language))}</p>${none}${lists}`;
}

function serverSection(server: ModelServer, set: string): string {
  const t = vscode.l10n.t;
  const title = server.provider === 'ollama' ? t('Ollama at {0}', server.endpoint) : server.endpoint;
  const where = server.local ? '' : ` · ${t('another machine')}`;
  if (server.problem) {
    return `<h3>${escaped(title + where)}</h3><p class="missing">${escaped([server.problem, server.hint].filter(Boolean).join('; '))}</p>`;
  }
  const lines = server.models.filter(({ embeds }) => !embeds).map((model) => {
    const inUse = model.name === set || model.name === `${set}:latest`;
    const use = inUse ? mark(t('in use')) : button('postil.useLanguageModel', t('Use'), { provider: server.provider, name: model.name, endpoint: server.endpoint });
    return `<tr><td>${escaped(model.name)}</td><td>${escaped(model.parameters)}</td><td class="number">${escaped(size(model.megabytes))}</td><td class="act">${use}</td></tr>`;
  });
  const head = [t('Model'), t('Parameters'), t('Size'), ''];
  return `<h3>${escaped(title + where)}</h3>${lines.length ? table(head, lines) : `<p>${escaped(t('It has no language model yet. Fetch one, for example with: ollama pull qwen2.5:7b'))}</p>`}`;
}

function embeddingSection(models: Models): string {
  const t = vscode.l10n.t;
  const { prose, embedding, folders, not_latin } = models;
  const why = not_latin >= 0.01
    ? t('{0} % of your notes\' passages are in scripts that a model for English does not read.', Math.round(100 * not_latin))
    : t('Your notes are in scripts that a model for English reads.');
  const making = folders.map(({ name, serving, coming, share }): [string, string] => [name, coming
    ? t('the vectors of {0} answer until those of {1} are complete: {2} % so far', serving ?? '–', coming, Math.round(100 * share))
    : serving ?? t('none yet')]);
  const lines = embedding.map((model) => embeddingRow(model, prose.name, folders.map(({ serving }) => serving)));
  const head = [t('Model'), t('Languages'), t('Size'), t('Dimensions'), t('Passages a second here'), ''];
  return `<h2>${escaped(t('Vectors of notes'))}</h2><p class="${prose.state}">${escaped(proseWords(prose))}</p>${rows(making)}`
    + `<p class="quiet">${escaped(why)} ${escaped(t('Another model is set for all folders; the old vectors answer until the new ones are complete.'))}</p>${table(head, lines)}`;
}

function embeddingRow(model: EmbeddingModel, set: string, serving: readonly (string | null)[]): string {
  const t = vscode.l10n.t;
  const marks = [
    model.recommended ? mark(t('recommended'), 'good') : '',
    model.setting === set ? mark(t('set')) : '',
    serving.includes(model.setting) ? mark(t('in use')) : '',
  ].join(' ');
  const verb = model.here ? t('Use') : model.here === null ? t('Use, if Ollama runs') : t('Download and use');
  const take = model.setting === set ? '' : button('postil.takeModel', verb, model.setting);
  const speed = model.passages_per_second === null ? '' : Math.round(model.passages_per_second).toLocaleString();
  const cells = [escaped(languages(model.languages)), escaped(size(model.megabytes)), String(model.dimensions ?? ''), speed];
  return `<tr><td>${escaped(model.setting)} ${marks}</td>${cells.map((cell, at) => `<td${at ? ' class="number"' : ''}>${cell}</td>`).join('')}<td class="act">${take}</td></tr>`;
}

function table(head: readonly string[], lines: readonly string[]): string {
  return `<table class="list"><thead><tr>${head.map((name) => `<th scope="col">${escaped(name)}</th>`).join('')}</tr></thead><tbody>${lines.join('')}</tbody></table>`;
}

function mark(text: string, kind = ''): string {
  return `<span class="mark ${kind}">${escaped(text)}</span>`;
}

function size(megabytes: number): string {
  return megabytes ? `${megabytes.toLocaleString(vscode.env.language)} MB` : '';
}

function languages(name: string): string {
  const t = vscode.l10n.t;
  const known: Record<string, string> = { English: t('English'), multilingual: t('many'), code: t('code') };
  return known[name] ?? name;
}
