// A page of words, tables and buttons that is made anew while it is seen. Its one script puts in what changed.

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { escaped, tabIcon } from '../answer/panel';

export interface Living {
  readonly id: string;
  readonly title: string;
  /** Those that its buttons may run. */
  readonly commands: readonly string[];
  /** How long until the next look. */
  readonly everyMs: number;
  readonly body: () => Promise<string>;
}

export class LivePage implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private shown = '';

  constructor(private readonly extension: vscode.Uri, private readonly living: Living) {}

  async open(): Promise<void> {
    if (!this.panel) {
      const media = vscode.Uri.joinPath(this.extension, 'media');
      const { id, title, commands } = this.living;
      this.panel = vscode.window.createWebviewPanel(id, title, vscode.ViewColumn.Active, {
        enableScripts: true, enableCommandUris: commands, localResourceRoots: [media, this.dist],
      });
      this.panel.iconPath = tabIcon(media);
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.shown = '';
        clearTimeout(this.timer);
      });
      this.panel.onDidChangeViewState(() => this.look());
      this.panel.webview.onDidReceiveMessage(() => this.tell()); // it is there: anew after it was not seen
    }
    this.panel.reveal();
    await this.look();
  }

  get html(): string {
    return this.shown;
  }

  private get dist(): vscode.Uri {
    return vscode.Uri.joinPath(this.extension, 'dist');
  }

  private tell(): void {
    void this.panel?.webview.postMessage({ body: this.shown });
  }

  /** The page is set once, and then told what it is to show: focus and scrolling stay. */
  async look(): Promise<void> {
    clearTimeout(this.timer);
    const panel = this.panel;
    if (!panel?.visible) {
      return;
    }
    const body = await this.living.body();
    if (body !== this.shown && this.panel === panel) {
      const first = this.shown === '';
      this.shown = body;
      if (first) {
        panel.webview.html = page(panel.webview, vscode.Uri.joinPath(this.extension, 'media'), this.dist, body);
      } else {
        this.tell();
      }
    }
    this.timer = setTimeout(() => void this.look(), this.living.everyMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }
}

/** Rows without a value are left out. */
export function rows(given: readonly (readonly [string, string | undefined])[]): string {
  const shown = given.filter(([, value]) => value).map(([name, value]) => `<tr><th scope="row">${escaped(name)}</th><td>${escaped(value!)}</td></tr>`);
  return shown.length ? `<table>${shown.join('')}</table>` : '';
}

/** A link that runs a command and looks like a button. */
export function button(command: string, title: string, argument?: unknown): string {
  const query = argument === undefined ? '' : `?${encodeURIComponent(JSON.stringify([argument]))}`;
  return `<a href="command:${command}${escaped(query)}" role="button">${escaped(title)}</a>`;
}

export function buttons(all: readonly string[]): string {
  return `<p class="buttons">${all.join('')}</p>`;
}

function page(webview: vscode.Webview, media: vscode.Uri, dist: vscode.Uri, body: string): string {
  const nonce = randomBytes(18).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'live.js')).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'status.css')).toString();
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${style}"><script nonce="${nonce}" src="${script}" defer></script><title>Postil</title></head>
<body><main id="page">${body}</main></body></html>`;
}
