// The answer panel: holds the thread of questions, and its page shows it. The page can be closed and opened at any time.

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Session } from '../server/session';
import { checked, FromPage, Labels, Strings, ToPage } from './messages';
import type { Turn } from './state';

const FRAME_MS = 50; // between two states that the page is told while an answer streams

export interface Doing {
  readonly ask: (question: string) => void;
  readonly stop: () => void;
  readonly past: () => void;
  readonly fresh: () => void;
  readonly ofTurn: (is: 'copy' | 'insert' | 'save' | 'good' | 'bad', turn: Turn) => void;
  readonly source: (turn: Turn, number: number) => void;
  readonly nearest: (turn: Turn, index: number) => void;
}

export class AnswerPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ready = false;
  private focusWanted = false; // by a page that is still to come
  turns: readonly Turn[] = [];

  constructor(private readonly extension: vscode.Uri, private readonly doing: Doing, private readonly session: Session) {}

  get open(): boolean {
    return this.panel !== undefined;
  }

  get column(): vscode.ViewColumn | undefined {
    return this.panel?.viewColumn;
  }

  show(): void {
    if (this.panel) {
      this.panel.reveal(undefined, true);
      return;
    }
    const media = vscode.Uri.joinPath(this.extension, 'media');
    const dist = vscode.Uri.joinPath(this.extension, 'dist');
    const panel = vscode.window.createWebviewPanel(
      'postil.answer', vscode.l10n.t('Postil: answer'), { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [media, dist], retainContextWhenHidden: false },
    );
    this.panel = panel;
    panel.iconPath = tabIcon(media);
    panel.webview.onDidReceiveMessage((message) => this.heard(message));
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.ready = false;
      this.doing.stop();
    });
    panel.onDidChangeViewState(() => {
      this.ready &&= panel.visible; // one that is not seen is thrown away, and comes back as a new one
    });
    panel.webview.html = page(panel.webview, media, dist);
  }

  update(turns: readonly Turn[]): void {
    this.turns = turns;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tell({ is: 'thread', turns: this.turns, labels: this.turns.map(labels) });
    }, FRAME_MS);
  }

  focusQuestion(): void {
    this.panel?.reveal(undefined, false);
    this.focusWanted = this.panel !== undefined && !this.ready;
    this.tell({ is: 'focus' });
  }

  private tell(message: ToPage): void {
    if (this.ready) {
      void this.panel?.webview.postMessage(message);
    }
  }

  private heard(given: unknown): void {
    const message = checked(given);
    if (!message) {
      this.session.log.warn('the answer panel said something that is no message of it');
      return;
    }
    if (message.is === 'ready') {
      this.ready = true;
      this.update(this.turns);
      if (this.focusWanted) {
        this.focusWanted = false;
        this.tell({ is: 'focus' });
      }
      return;
    }
    this.act(message);
  }

  private act(message: FromPage): void {
    switch (message.is) {
      case 'ready':
        return;
      case 'stop':
      case 'past':
      case 'fresh':
        return this.doing[message.is]();
      case 'ask':
        return this.doing.ask(message.question);
      default: {
        const turn = this.turns.find(({ key }) => key === message.turn);
        if (turn && 'number' in message) {
          this.doing[message.is](turn, message.number);
        } else if (turn && !('number' in message)) {
          this.doing.ofTurn(message.is, turn);
        }
      }
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
  }
}

/** Where a turn's sources and nearest passages lie, as people read it. */
function labels(turn: Turn): Labels {
  const place = (uri: string, line: number) => `${vscode.workspace.asRelativePath(vscode.Uri.parse(uri))}:${line + 1}`;
  const all: Record<string, string> = {};
  for (const source of turn.sources) {
    const where = source.sha ? vscode.l10n.t('commit {0}', source.sha.slice(0, 10)) : place(source.uri, source.range.start.line);
    all[`s${source.number}`] = [where, source.sha ? source.title : lastPart(source.name) || source.title].filter(Boolean).join(' · ');
  }
  turn.nearest.forEach((hit, at) => {
    const where = hit.sha ? vscode.l10n.t('commit {0}', hit.sha.slice(0, 10)) : place(hit.uri, hit.range.start.line);
    all[`n${at}`] = [where, hit.name].filter(Boolean).join(' · ');
  });
  return all;
}

function lastPart(name = ''): string {
  return name.split(' > ').at(-1) ?? '';
}

function strings(): Strings {
  const t = vscode.l10n.t;
  return {
    source: t('Open source {0}'),
    weak: t('The sources support this only in part'),
    notFound: t('The sources do not say this'),
    sources: t('Sources'),
    nearest: t('Nearest in this workspace'),
    cut: t('Cut: the answer reached its longest length'),
    stale: t('changed since'),
    reading: t('Reading the sources…'),
    writing: t('Writing…'),
    stopped: t('Stopped'),
    ready: t('Answer ready, {0} sources'),
    readyOne: t('Answer ready, one source'),
    model: t('Written by {0}'),
    stop: t('Stop'),
    copy: t('Copy'),
    insert: t('Insert at cursor'),
    save: t('Save as note'),
    good: t('Helpful'),
    bad: t('Not helpful'),
    followUp: t('Ask a follow-up'),
    ask: t('Ask'),
    past: t('Past answers'),
    fresh: t('New question'),
    empty: t('Ask your notes, code and history.'),
  };
}

function page(webview: vscode.Webview, media: vscode.Uri, dist: vscode.Uri): string {
  const nonce = randomBytes(18).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(dist, 'answer.js')).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(media, 'answer.css')).toString();
  const said = strings();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Postil</title>
</head>
<body class="empty">
<header><button id="fresh" type="button">${escaped(said.fresh)}</button><button id="past" type="button">${escaped(said.past)}</button></header>
<main id="thread"></main>
<p id="said" role="status" aria-live="polite"></p>
<p class="welcome">${escaped(said.empty)}</p>
<form id="follow"><div><textarea id="question" rows="1" placeholder="${escaped(said.followUp)}" aria-label="${escaped(said.followUp)}"></textarea><button>${escaped(said.ask)}</button></div></form>
<script type="application/json" id="strings" nonce="${nonce}">${JSON.stringify(said).replace(/</g, '\\u003c')}</script>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>`;
}

/** A tab's icon takes no colour of the theme. */
export function tabIcon(media: vscode.Uri): { light: vscode.Uri; dark: vscode.Uri } {
  return { light: vscode.Uri.joinPath(media, 'postil-light.svg'), dark: vscode.Uri.joinPath(media, 'postil-dark.svg') };
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
