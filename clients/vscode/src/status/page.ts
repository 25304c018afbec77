// The status page: what is indexed, left out and sent, in words and numbers. It runs no script.

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { escaped, tabIcon } from '../answer/panel';
import type { FolderStatus, Status } from '../protocol';
import type { Session } from '../server/session';

const LOOK_MS = 2_000;
const COMMANDS = ['postil.pause', 'postil.resume', 'postil.restart', 'postil.stop', 'postil.showLog', 'postil.why', 'postil.setUp'];

export class StatusPage implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private shown = '';

  constructor(private readonly extension: vscode.Uri, private readonly session: Session) {}

  async open(): Promise<void> {
    if (!this.panel) {
      const media = vscode.Uri.joinPath(this.extension, 'media');
      this.panel = vscode.window.createWebviewPanel('postil.status', vscode.l10n.t('Postil: status'), vscode.ViewColumn.Active, {
        enableScripts: false, enableCommandUris: COMMANDS, localResourceRoots: [media],
      });
      this.panel.iconPath = tabIcon(media);
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.shown = '';
        clearTimeout(this.timer);
      });
      this.panel.onDidChangeViewState(() => this.look());
    }
    this.panel.reveal();
    await this.look();
  }

  get html(): string {
    return this.shown;
  }

  /** Anew while it is seen; the page is only set where something changed, so that a scrolled page stays where it is. */
  private async look(): Promise<void> {
    clearTimeout(this.timer);
    const panel = this.panel;
    if (!panel?.visible) {
      return;
    }
    const body = await this.body();
    if (body !== this.shown && this.panel === panel) {
      this.shown = body;
      panel.webview.html = page(panel.webview, vscode.Uri.joinPath(this.extension, 'media'), body);
    }
    this.timer = setTimeout(() => void this.look(), LOOK_MS);
  }

  private async body(): Promise<string> {
    const { session } = this;
    const heading = `<h1>Postil</h1><p>${escaped(session.words())}</p>`;
    const server = rows([
      [vscode.l10n.t('Server'), session.found && `${session.found.command} (${fromWhere(session)})`],
      [vscode.l10n.t('Version'), session.version],
    ]);
    if (session.phase.is !== 'running') {
      return `${heading}${server}${buttons(['postil.restart', 'postil.setUp', 'postil.showLog'])}`;
    }
    try {
      const status = await session.request<Status>('postil/status', {});
      const { folders, ...more } = status;
      const paused = folders.some(({ worker }) => worker?.state === 'paused');
      const orders = [paused ? 'postil.resume' : 'postil.pause', 'postil.why', 'postil.showLog', 'postil.restart'];
      return `${heading}${buttons(orders)}${folders.map(folderSection).join('')}${rows(Object.entries(more).map(([name, value]) => [label(name), plainValue(value)]))}<h2>${escaped(vscode.l10n.t('Server'))}</h2>${server}`;
    } catch (error) {
      return `${heading}<p>${escaped(String(error))}</p>${server}`;
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }
}

function folderSection(folder: FolderStatus): string {
  const { name, uri, indexed, worker, ...more } = folder;
  const doing = worker && [state(worker.state), worker.state === 'indexing' && worker.total ? `${worker.done} / ${worker.total}` : ''].filter(Boolean).join(' · ');
  const known = rows([
    [vscode.l10n.t('Folder'), vscode.Uri.parse(uri).fsPath],
    [vscode.l10n.t('Indexing'), doing || vscode.l10n.t('not started')],
    [vscode.l10n.t('Failure'), worker?.failure],
    [vscode.l10n.t('Watching'), [worker?.watching, worker?.watching_reason].filter(Boolean).join(': ')],
    ...Object.entries(more).map(([key, value]): [string, string | undefined] => [label(key), plainValue(value, key)]),
  ]);
  return `<h2>${escaped(name)}</h2>${indexed ? '' : `<p>${escaped(vscode.l10n.t('Not indexed yet.'))}</p>`}${known}`;
}

function rows(given: readonly (readonly [string, string | undefined])[]): string {
  const shown = given.filter(([, value]) => value).map(([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value!)}</td></tr>`);
  return shown.length ? `<table>${shown.join('')}</table>` : '';
}

function plainValue(value: unknown, key = ''): string | undefined {
  if (value === null || value === undefined || value === '' || value === false) {
    return undefined;
  }
  if (value === true) {
    return vscode.l10n.t('yes');
  }
  if (typeof value === 'number') {
    return key === 'bytes' ? `${(value / 1e6).toFixed(1)} MB` : value.toLocaleString(vscode.env.language);
  }
  if (typeof value === 'object') {
    const share = key === 'share_embedded';
    const inside = Object.entries(value).map(([name, amount]) => `${label(name)} ${share ? `${Math.round(100 * Number(amount))} %` : plainValue(amount) ?? '–'}`);
    return inside.join(', ') || undefined;
  }
  return String(value);
}

function label(key: string): string {
  const t = vscode.l10n.t;
  const labels: Record<string, string> = {
    files: t('Files'), pending: t('Not read yet'), chunks: t('Passages'), passages: t('Passages by kind'), commits: t('Commits'),
    share_embedded: t('With vectors'), failed: t('Failed'), skipped: t('Left out'), models: t('Models'), bytes: t('Size on disk'),
    code: t('code'), note: t('notes'), commit: t('commits'), languages: t('Languages'), model: t('Language model'), sent: t('Left this machine'), outside: t('Outside the workspace'), log: t('Log'), warnings: t('Warnings'),
  };
  return labels[key] ?? key.replace(/_/g, ' ');
}

function state(name: string): string {
  const t = vscode.l10n.t;
  const states: Record<string, string> = {
    indexing: t('indexing'), idle: t('up to date'), paused: t('paused'), on_battery: t('waiting for the power supply'), root_missing: t('the folder is gone'),
  };
  return states[name] ?? name;
}

function fromWhere(session: Session): string {
  const t = vscode.l10n.t;
  return { setting: t('from your settings'), own: t('the private environment'), path: t('from PATH') }[session.found?.from ?? 'path'];
}

function buttons(commands: readonly string[]): string {
  const t = vscode.l10n.t;
  const titles: Record<string, string> = {
    'postil.pause': t('Pause indexing'), 'postil.resume': t('Resume indexing'), 'postil.restart': t('Restart'), 'postil.stop': t('Stop'),
    'postil.showLog': t('Show log'), 'postil.why': t('Why isn\'t a file found?'), 'postil.setUp': t('Set up Postil'),
  };
  return `<p class="buttons">${commands.map((command) => `<a href="command:${command}" role="button">${escaped(titles[command] ?? command)}</a>`).join('')}</p>`;
}

function page(webview: vscode.Webview, media: vscode.Uri, body: string): string {
  const nonce = randomBytes(18).toString('base64'); // another page each time, so that the editor loads it anew
  const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'status.css')).toString();
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}">
<link rel="stylesheet" href="${style}"><title>Postil</title></head>
<body data-page="${nonce}">${body}</body></html>`;
}
