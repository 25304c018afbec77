// Questions and their answers: one thread of turns, streamed into the panel, with what can be done with an answer.

import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { isCancelled, offerStart, show, words } from '../errors';
import { linkText } from '../links';
import { openPlace } from '../places';
import type { Place } from '../protocol';
import { NotRunningError, Session } from '../server/session';
import { openChange } from '../views/change';
import { answerText, fileName } from './note';
import { AnswerPanel } from './panel';
import { Answer, AnswerEvent, begun, Citation, cut, ended, grown, Turn } from './state';

/** What is asked: the method, its parameters and what the panel calls it. */
export interface Request {
  readonly method: 'postil/ask' | 'postil/summarise';
  readonly params: { readonly [name: string]: unknown };
  readonly title: string;
}

export class Asking implements vscode.Disposable {
  readonly panel: AnswerPanel;
  private readonly subscriptions: vscode.Disposable[] = [];
  private running: { readonly key: string; readonly cancel: vscode.CancellationTokenSource } | undefined;
  private lastEditor = vscode.window.activeTextEditor;
  private turns: readonly Turn[] = [];

  constructor(extension: vscode.Uri, private readonly session: Session) {
    this.panel = new AnswerPanel(extension, {
      ask: (question) => void this.followUp(question),
      stop: () => this.stop(),
      past: () => void vscode.commands.executeCommand('postil.pastAnswers'),
      fresh: () => this.fresh(),
      ofTurn: (is, turn) => void this.act(is, turn).catch((error) => show(error, session)),
      source: (turn, number) => void this.openSource(turn, number).catch((error) => show(error, session)),
      nearest: (turn, index) => void this.open(turn.nearest[index]).catch((error) => show(error, session)),
    }, session);
    this.subscriptions.push(
      this.panel,
      session.onDidStream((event) => this.heard(event as AnswerEvent)),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && (this.lastEditor = editor)),
    );
  }

  get thread(): readonly Turn[] {
    return this.turns;
  }

  /** A question of its own: what was asked before is put away. */
  async ask(request: Request): Promise<void> {
    this.stop();
    this.turns = [];
    await this.answer(request);
  }

  async followUp(question: string): Promise<void> {
    this.stop();
    const last = this.turns.filter(({ phase, text }) => phase === 'done' && text !== '').at(-1);
    const previous = last && { question: last.title, text: last.text };
    await this.answer({ method: 'postil/ask', params: { question, previous }, title: question });
  }

  private async answer({ method, params, title }: Request): Promise<void> {
    if (this.session.phase.is !== 'running') {
      void offerStart(this.session);
      return;
    }
    const turn = begun(randomUUID(), title);
    const cancel = new vscode.CancellationTokenSource();
    this.running = { key: turn.key, cancel };
    this.turns = [...this.turns, turn];
    this.panel.show();
    this.changed();
    try {
      const answer = await this.session.request<Answer>(method, { ...params, stream: turn.key, view: 'panel' }, cancel.token);
      this.replace(turn.key, (now) => ended(now, answer));
    } catch (error) {
      const stopped = isCancelled(error);
      const said = error instanceof NotRunningError ? this.session.words() : words(error);
      this.replace(turn.key, (now) => (stopped ? cut(now, 'stopped', '') : cut(now, 'failed', said)));
    } finally {
      cancel.dispose();
      if (this.running?.key === turn.key) {
        this.running = undefined;
      }
      this.changed();
    }
  }

  private heard(event: AnswerEvent): void {
    if (event.stream === this.running?.key) {
      this.replace(event.stream, (turn) => grown(turn, event));
    }
  }

  private replace(key: string, change: (turn: Turn) => Turn): void {
    this.turns = this.turns.map((turn) => (turn.key === key ? change(turn) : turn));
    this.changed();
  }

  private changed(): void {
    this.panel.update(this.turns);
    void vscode.commands.executeCommand('setContext', 'postil.answering', this.running !== undefined);
    void vscode.commands.executeCommand('setContext', 'postil.answered', this.turns.some(({ phase, text }) => phase !== 'running' && text !== ''));
  }

  /** The server keeps what came until then; where it does not answer, the request is dropped. */
  stop(): void {
    const { running } = this;
    if (running) {
      const params = { command: 'postil.server.cancel', arguments: [{ stream: running.key }] };
      void this.session.request('workspace/executeCommand', params).catch(() => running.cancel.cancel());
    }
  }

  fresh(): void {
    this.stop();
    this.turns = [];
    this.changed();
    this.panel.focusQuestion();
  }

  /** The field of the next question, with the panel around it. */
  focusFollowUp(): void {
    this.panel.show();
    this.panel.focusQuestion();
  }

  /** An answer of before, as the server kept it. */
  showPast(title: string, answer: Answer): void {
    this.stop();
    this.turns = [ended(begun(randomUUID(), title), answer)];
    this.panel.show();
    this.changed();
  }

  // what can be done with an answer

  async act(is: 'copy' | 'insert' | 'save' | 'good' | 'bad', turn = this.last()): Promise<void> {
    if (!turn) {
      return;
    }
    switch (is) {
      case 'copy':
        await vscode.env.clipboard.writeText(this.text(turn, undefined));
        vscode.window.setStatusBarMessage(vscode.l10n.t('Answer copied'), 2000);
        return;
      case 'insert':
        return this.insert(turn);
      case 'save':
        return this.save(turn);
      case 'good':
      case 'bad':
        return this.judge(turn, is);
    }
  }

  private async judge(turn: Turn, verdict: 'good' | 'bad'): Promise<void> {
    const { kept } = await this.session.request<{ kept: boolean }>('postil/feedback', { answer: turn.id, verdict });
    if (kept) {
      this.replace(turn.key, (now) => ({ ...now, verdict }));
    } else {
      void vscode.window.showInformationMessage(vscode.l10n.t('This answer is no longer kept, so nothing was noted about it.'));
    }
  }

  private last(): Turn | undefined {
    return this.turns.filter(({ text }) => text !== '').at(-1);
  }

  private text(turn: Turn, into: vscode.Uri | undefined): string {
    const link = (source: Citation) => sourceLink(source, into);
    return answerText(turn, link, `**${vscode.l10n.t('Sources')}**`);
  }

  private async insert(turn: Turn): Promise<void> {
    const editor = vscode.window.activeTextEditor ?? this.lastEditor;
    if (!editor || editor.document.isClosed) {
      void vscode.window.showInformationMessage(vscode.l10n.t('Open the note that the answer is to go into, and try again.'));
      return;
    }
    const shown = await vscode.window.showTextDocument(editor.document, editor.viewColumn);
    await shown.edit((edit) => edit.replace(shown.selection, this.text(turn, shown.document.uri)));
  }

  private async save(turn: Turn): Promise<void> {
    const folder = notesFolder();
    const chosen = await vscode.window.showSaveDialog({
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, fileName(turn.title)) }),
      filters: { Markdown: ['md'] },
      title: vscode.l10n.t('Save the answer as a note'),
    });
    if (chosen) {
      await this.saveAs(turn, chosen);
    }
  }

  async saveAs(turn: Turn, uri: vscode.Uri): Promise<void> {
    const note = `# ${turn.title.replace(/\s+/g, ' ').trim()}\n\n${this.text(turn, uri)}`;
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(note));
    await vscode.window.showTextDocument(uri, { viewColumn: this.editorColumn() });
  }

  async openSource(turn: Turn, number: number): Promise<void> {
    const source = turn.sources.find((one) => one.number === number);
    if (source?.sha) {
      await this.openCommitted({ ...source, sha: source.sha });
    } else {
      await this.open(source);
    }
  }

  /** The change where there is one to show; of a merge, and of a commit that changed no file, its page. */
  private async openCommitted(source: Citation & { readonly sha: string }): Promise<void> {
    try {
      await openChange(this.session, source.sha, source.uri, source.range.start.line, this.editorColumn());
    } catch (error) {
      if (!source.document || isCancelled(error) || error instanceof NotRunningError) {
        throw error;
      }
      await this.open(source);
    }
  }

  private async open(place: Place | undefined): Promise<void> {
    if (place) {
      await openPlace(place, this.editorColumn());
    }
  }

  /** Beside the panel, never over it. */
  private editorColumn(): vscode.ViewColumn {
    return this.panel.column === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
  }

  dispose(): void {
    this.stop();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

function notesFolder(): vscode.Uri | undefined {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const given = vscode.workspace.getConfiguration('postil', root).get('notes.folder', '');
  const relative = path.posix.normalize(given.replace(/\\/g, '/'));
  const inside = !path.posix.isAbsolute(relative) && !relative.startsWith('..');
  return root && given && inside ? vscode.Uri.joinPath(root, relative) : root;
}

function sourceLink(source: Citation, into: vscode.Uri | undefined): string {
  if (source.sha) {
    return `\`${source.sha.slice(0, 10)}\` ${(source.title ?? '').replace(/[[\]<>!`]/g, '\\$&')}`.trim();
  }
  const uri = vscode.Uri.parse(source.uri);
  const root = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? path.dirname(uri.fsPath);
  const line = source.range.start.line + 1;
  const target = { file: uri.fsPath, root, title: `${path.basename(uri.fsPath)}:${line}`, heading: '' };
  return linkText('markdown', target, into?.scheme === 'file' ? into.fsPath : undefined);
}
