// Commits that answer a question, with the filters that the question became: each can be changed or taken away.

import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { isCancelled, words } from '../errors';
import type { Commit, Filters, HistoryAnswer, Hunk, Range } from '../protocol';
import type { Session, Streamed } from '../server/session';
import { openChange, openCommit } from './change';
import { commitItem, filterItem, filterLabel, hunkItem, moreItem, shownValue } from './historyitems';

const PAGE = 20; // commits; more come with a click
const MOST = 200; // the server's limit

export interface Filter { readonly is: 'filter'; readonly name: string; readonly value: string }
export interface CommitNode { readonly is: 'commit'; readonly commit: Commit }
export interface HunkNode { readonly is: 'hunk'; readonly hunk: Hunk; readonly commit: Commit }
interface More { readonly is: 'more' }
export type Node = Filter | CommitNode | HunkNode | More;

/** What can be filtered by, in the order of the list that offers them. */
export const FILTERS = ['author', 'file', 'symbol', 'after', 'before', 'kind', 'release', 'message', 'change', 'issue', 'committer', 'merge'] as const;

/** What the server was asked; an edited filter asks anew with what the question had become. */
interface Asked {
  readonly query: string;
  readonly filters: Filters;
  readonly textDocument?: { readonly uri: string };
  readonly range?: Range;
}

export class HistoryView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  readonly view: vscode.TreeView<Node>;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly listening: vscode.Disposable;
  private asking: { readonly stream: string; readonly cancel: vscode.CancellationTokenSource } | undefined;
  private asked: Asked | undefined;
  private limit = PAGE;
  query = '';
  filters: Filters = {};
  commits: readonly Commit[] = [];

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView('postil.historyView', { treeDataProvider: this, showCollapseAll: true });
    this.listening = session.onDidStream((event) => this.heard(event));
  }

  async question(query: string): Promise<void> {
    await this.anew({ query, filters: {} });
  }

  async ofDocument(uri: string, range?: Range): Promise<void> {
    await this.anew({ query: '', filters: {}, textDocument: { uri }, ...(range && { range }) });
  }

  async ofSymbol(name: string): Promise<void> {
    await this.anew({ query: '', filters: { symbol: name } });
  }

  private async anew(asked: Asked): Promise<void> {
    this.limit = PAGE;
    this.query = asked.query;
    this.filters = asked.filters;
    await vscode.commands.executeCommand('postil.historyView.focus');
    await this.ask(asked);
  }

  private async ask(asked: Asked): Promise<void> {
    this.asking?.cancel.cancel();
    const asking = (this.asking = { stream: randomUUID(), cancel: new vscode.CancellationTokenSource() });
    this.asked = asked;
    this.commits = [];
    this.view.message = vscode.l10n.t('Searching the history…');
    void vscode.commands.executeCommand('setContext', 'postil.history.asked', true);
    this.changed.fire();
    try {
      const params = { ...asked, limit: this.limit, stream: asking.stream };
      const request = () => this.session.request<HistoryAnswer>('postil/history', params, asking.cancel.token);
      this.show(await vscode.window.withProgress({ location: { viewId: 'postil.historyView' } }, request));
    } catch (error) {
      if (!isCancelled(error)) {
        this.view.message = words(error);
        this.changed.fire();
      }
    }
  }

  private heard(event: Streamed): void {
    if (event.kind === 'commits' && event.stream === this.asking?.stream) {
      this.commits = [...this.commits, ...(event as Streamed & { commits: readonly Commit[] }).commits];
      this.changed.fire();
    }
  }

  private show(answer: HistoryAnswer): void {
    this.query = answer.words ?? this.query;
    this.filters = answer.filters;
    this.commits = answer.commits;
    const none = answer.commits.length ? [] : [vscode.l10n.t('No commit answers this.')];
    this.view.message = [...(answer.notes ?? []), ...none].join(' ') || undefined;
    this.changed.fire();
  }

  async more(): Promise<void> {
    this.limit = Math.min(this.limit + PAGE, MOST);
    if (this.asked) {
      await this.ask(this.asked);
    }
  }

  async addFilter(): Promise<void> {
    const free = FILTERS.filter((name) => this.filters[name] === undefined);
    const chosen = await vscode.window.showQuickPick(free.map((name) => ({ label: filterLabel(name), name })), { placeHolder: vscode.l10n.t('Filter by') });
    if (chosen) {
      await this.editFilter({ is: 'filter', name: chosen.name, value: '' });
    }
  }

  async editFilter({ name, value }: Filter): Promise<void> {
    const placeHolder = { after: '2026-03-01', before: 'v2.1', file: 'src/queue.py', kind: vscode.l10n.t('fix, feature, refactor, test, docs, revert') }[name];
    const given = await vscode.window.showInputBox({ prompt: filterLabel(name), value, ...(placeHolder && { placeHolder }) });
    if (given === undefined) {
      return;
    }
    if (name === 'words') {
      await this.ask({ query: given, filters: this.filters });
    } else {
      await this.setFilter(name, given.trim() || undefined);
    }
  }

  async setFilter(name: string, value: unknown): Promise<void> {
    const { [name]: _, ...others } = this.filters;
    await this.ask({ query: this.query, filters: value === undefined ? others : { ...others, [name]: value } });
  }

  async removeFilter({ name }: Filter): Promise<void> {
    await this.setFilter(name, undefined);
  }

  // the tree

  getChildren(parent?: Node): Node[] {
    if (parent?.is === 'commit') {
      return parent.commit.hunks.map((hunk) => ({ is: 'hunk', hunk, commit: parent.commit }));
    }
    if (parent || !this.asked) {
      return [];
    }
    const filters = Object.entries(this.filters).map(([name, value]): Filter => ({ is: 'filter', name, value: shownValue(name, value) }));
    const commits = this.commits.map((commit): Node => ({ is: 'commit', commit }));
    const more: Node[] = this.commits.length >= this.limit && this.limit < MOST ? [{ is: 'more' }] : [];
    return [{ is: 'filter', name: 'words', value: this.query }, ...filters, ...commits, ...more];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.is) {
      case 'filter':
        return filterItem(node);
      case 'commit':
        return commitItem(node);
      case 'hunk':
        return hunkItem(node);
      case 'more':
        return moreItem();
    }
  }

  async openHunk({ commit, hunk }: HunkNode): Promise<void> {
    await openChange(this.session, commit.sha, hunk.uri, hunk.range.start.line);
  }

  async openCommit({ commit }: CommitNode): Promise<void> {
    await openCommit(this.session, commit);
  }

  dispose(): void {
    this.asking?.cancel.cancel();
    vscode.Disposable.from(this.view, this.changed, this.listening).dispose();
  }
}
