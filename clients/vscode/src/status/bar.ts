// What Postil does, in one item of the status bar; a click leads to what can be done about it.

import * as vscode from 'vscode';
import type { Doing, SetModels, Worker } from '../protocol';
import { Session } from '../server/session';
import { modelWords, proseWords } from './models';

const LOOK_MS = 5_000;
const LOOK_OFTEN_MS = 1_000; // while something is indexed, or about to be
const REST_MS = 1_000; // without a key, before anything is asked
const LOOK_MODELS_MS = 60_000; // a server of models is asked each time

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  readonly command: string;
  readonly loud?: 'error' | 'warning';
}

/** What a worker does; null where it is about to be there, and `held` where the user is to say so first. */
export type Seen = (Omit<Worker, 'state'> & { readonly state: Worker['state'] | 'held' }) | null;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('postil.status', vscode.StatusBarAlignment.Left, -10);
  private readonly subscriptions: vscode.Disposable[] = [this.item];
  private timer: NodeJS.Timeout | undefined;
  private workers: readonly Seen[] = [];
  private models: SetModels | undefined;
  private modelsAskedAt = 0;
  private typedAt = 0;

  constructor(private readonly session: Session) {
    this.item.name = 'Postil';
    this.subscriptions.push(
      session.onDidChange(() => {
        this.modelsAskedAt = 0; // it may have started with other settings
        this.look();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme !== 'output') { // of a log that is open
          this.typedAt = Date.now();
        }
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.look()),
    );
    this.look();
    this.item.show();
  }

  get shown(): Shown {
    return shownOf(this.session, this.workers, this.models);
  }

  /** Look now, and again after a while: seldom when nothing happens, never in a window that nobody looks at. */
  look(): void {
    clearTimeout(this.timer);
    if (Date.now() - this.typedAt < REST_MS) { // a key asks for nothing
      this.show();
      this.timer = setTimeout(() => this.look(), REST_MS);
      return;
    }
    void this.read().then((again) => {
      if (again) {
        this.timer = setTimeout(() => this.look(), looksAgainAfter(this.workers));
      }
    });
  }

  private async read(): Promise<boolean> {
    const running = this.session.phase.is === 'running';
    try {
      const params = { command: 'postil.server.status', arguments: [] };
      const { folders } = running ? await this.session.request<{ folders: readonly Doing[] }>('workspace/executeCommand', params) : { folders: [] };
      this.workers = folders.map(({ worker, held }) => worker ?? (held ? { state: 'held' } : null));
    } catch {
      this.workers = []; // it ends or starts just now: the session says so
    }
    this.show();
    // not before the folder is indexed: the first hover is to wait for nothing
    if (this.workers.length && this.workers.every((worker) => worker?.state === 'idle')) {
      this.lookAtModels();
    }
    return running && vscode.window.state.focused;
  }

  private lookAtModels(): void {
    if (Date.now() - this.modelsAskedAt < LOOK_MODELS_MS) {
      return;
    }
    this.modelsAskedAt = Date.now();
    const take = (models: SetModels | undefined) => {
      this.models = models;
      this.show();
    };
    this.session.request<SetModels>('postil/model', {}).then(take, () => {
      this.modelsAskedAt = 0; // it ends just now: the next one is asked at once
      take(undefined);
    });
  }

  private show(): void {
    const { text, tooltip, command, loud } = this.shown;
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: tooltip };
    this.item.backgroundColor = loud && new vscode.ThemeColor(`statusBarItem.${loud}Background`);
    const paused = this.workers.some((worker) => worker?.state === 'paused');
    void vscode.commands.executeCommand('setContext', 'postil.paused', paused);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

/** Milliseconds. */
export function looksAgainAfter(workers: readonly Seen[]): number {
  return workers.some((worker) => !worker || worker.state === 'indexing') ? LOOK_OFTEN_MS : LOOK_MS;
}

export function shownOf(session: Pick<Session, 'phase' | 'words'>, workers: readonly Seen[], models: SetModels | undefined): Shown {
  const tooltip = session.words();
  switch (session.phase.is) {
    case 'untrusted':
      return { text: '$(shield) Postil', tooltip, command: 'workbench.trust.manage' };
    case 'missing':
      return { text: `$(cloud-download) ${vscode.l10n.t('Set up Postil')}`, tooltip, command: 'postil.setUp', loud: 'warning' };
    case 'failed':
      return { text: '$(error) Postil', tooltip, command: 'postil.restart', loud: 'error' };
    case 'stopped':
      return { text: '$(circle-slash) Postil', tooltip, command: 'postil.restart' };
    case 'settingUp':
    case 'starting':
      return { text: '$(loading~spin) Postil', tooltip, command: 'postil.showLog' };
    case 'running':
      return ofWorkers(workers, models);
  }
}

function ofWorkers(workers: readonly Seen[], models: SetModels | undefined): Shown {
  const command = 'postil.status';
  const indexing = workers.filter((worker) => worker?.state === 'indexing');
  const failed = workers.find((worker) => worker?.failure);
  const states = new Set(workers.map((worker) => worker?.state));
  if (indexing.length) {
    const [done, total] = [sum(indexing, 'done'), sum(indexing, 'total')];
    const share = total ? ` ${Math.min(100, Math.floor((100 * done) / total))} %` : '';
    const said = total ? vscode.l10n.t('Postil is indexing: {0} of {1}', done.toLocaleString(), total.toLocaleString()) : vscode.l10n.t('Postil is indexing.');
    return { text: `$(sync~spin) Postil${share}`, tooltip: said, command };
  }
  if (failed) {
    return { text: '$(warning) Postil', tooltip: vscode.l10n.t('Indexing failed: {0}', failed.failure ?? ''), command, loud: 'warning' };
  }
  if (states.has('paused')) {
    return { text: '$(debug-pause) Postil', tooltip: vscode.l10n.t('Indexing is paused. Search still works with what is indexed.'), command };
  }
  if (states.has('on_battery')) {
    return { text: '$(debug-pause) Postil', tooltip: vscode.l10n.t('Indexing waits for the power supply.'), command };
  }
  if (states.has('root_missing')) {
    return { text: '$(warning) Postil', tooltip: vscode.l10n.t('The folder is gone; its index is kept.'), command, loud: 'warning' };
  }
  if (states.has(undefined)) {
    return { text: '$(sync~spin) Postil', tooltip: vscode.l10n.t('Postil is about to index.'), command };
  }
  if (states.has('held')) {
    return { text: '$(book) Postil', tooltip: vscode.l10n.t('A home folder or a drive is indexed once you say so: postil index'), command };
  }
  if (!workers.length) {
    return { text: '$(book) Postil', tooltip: vscode.l10n.t('No folder is open: open the folder of your notes or your code.'), command };
  }
  const ready = vscode.l10n.t('Postil is ready. Click for its status.');
  const missing = [
    ...(models?.language.state === 'missing' ? [modelWords(models.language)] : []),
    ...(models?.prose.state === 'missing' ? [proseWords(models.prose)] : []),
  ];
  const text = missing.length ? `$(book) Postil: ${vscode.l10n.t('no model')}` : '$(book) Postil';
  return { text, tooltip: [ready, ...missing].join('\n'), command };
}

function sum(workers: readonly Seen[], field: 'done' | 'total'): number {
  return workers.reduce((total, worker) => total + (worker?.[field] ?? 0), 0);
}
