// The notes related to the paragraph at the cursor, in the sidebar. It follows the cursor once that rests.

import * as vscode from 'vscode';
import { isCancelled, words } from '../errors';
import { linkText } from '../links';
import type { Mention, Place, Related } from '../protocol';
import { NotRunningError, Session } from '../server/session';
import { backlinks } from './backlinks';

const REST_MS = 250; // of the cursor and of typing, before anything is asked
const MOST = 12;
const MOST_MENTIONS = 50;
const SURE = 0.1; // confidence below which a note is shown folded away, unless a link joins it
const FOLLOW = 'postil.related.follow';
const HIDDEN = 'postil.related.hidden';
const ICONS = { note: 'note', code: 'symbol-method', commit: 'git-commit' } as const;
const MIME = 'application/vnd.code.tree.postil.relatedview'; // the editor's own name for what comes from this view

/** What is folded away below the others; backlinks and mentions are looked up when they are opened. */
export interface Group {
  readonly label: string;
  readonly open: boolean;
  readonly inside: () => Item[] | Promise<Item[]>;
}

/** A note in the view. `said`: what is shown beside its title in place of confidence and reason. */
export interface Item extends Related {
  readonly said?: string;
  readonly mention?: Mention; // of the note that was asked for, without a link
}

export type Node = Item | Group;

interface Asked {
  readonly uri: vscode.Uri;
  readonly line: number;
}

export class RelatedView implements vscode.TreeDataProvider<Node>, vscode.TreeDragAndDropController<Node>, vscode.Disposable {
  readonly dropMimeTypes = [];
  readonly dragMimeTypes = [MIME, 'text/plain'];
  readonly view: vscode.TreeView<Node>;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscriptions: vscode.Disposable[] = [];
  private rest: NodeJS.Timeout | undefined;
  private asking: vscode.CancellationTokenSource | undefined;
  private asked: Asked | undefined;
  private pinned = false;
  private following = follows();
  items: readonly Related[] = [];

  constructor(private readonly context: vscode.ExtensionContext, private readonly session: Session) {
    this.view = vscode.window.createTreeView('postil.relatedView', { treeDataProvider: this, dragAndDropController: this, canSelectMany: true });
    const follow = () => this.follow();
    this.subscriptions.push(
      this.view,
      vscode.window.onDidChangeActiveTextEditor(follow),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => textEditor === vscode.window.activeTextEditor && this.follow()),
      vscode.workspace.onDidSaveTextDocument(() => this.later(() => this.ask(this.asked))),
      this.view.onDidChangeVisibility(({ visible }) => visible && this.follow()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(FOLLOW) && this.setFollowing(follows())),
      session.onDidChange(({ is }) => (is === 'running' ? this.follow() : this.clear())),
    );
    this.tell();
  }

  // what is asked

  private follow(): void {
    if (this.following && !this.pinned) {
      this.later(() => this.ask(here() ?? this.asked));
    }
  }

  private later(work: () => Promise<void>): void {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => void work(), REST_MS);
  }

  /** Ask for the paragraph at the cursor, whether the view follows it or not. */
  async askHere(): Promise<void> {
    await vscode.commands.executeCommand('postil.relatedView.focus');
    await this.ask(here(), true);
  }

  private async ask(asked: Asked | undefined, always = false): Promise<void> {
    if (!asked || this.session.phase.is !== 'running' || !(this.view.visible || always)) {
      return;
    }
    this.asking?.cancel();
    const source = (this.asking = new vscode.CancellationTokenSource());
    const at = { line: asked.line, character: 0 };
    const params = { textDocument: { uri: asked.uri.toString() }, range: { start: at, end: at }, limit: MOST + this.hidden().length };
    try {
      const answer = await this.session.request<{ related: Related[] }>('postil/related', params, source.token);
      this.show(asked, answer.related);
    } catch (error) {
      if (!isCancelled(error) && !(error instanceof NotRunningError) && source === this.asking) {
        this.clear(words(error));
      }
    }
  }

  private show(asked: Asked, related: readonly Related[]): void {
    this.asked = asked;
    const hidden = this.hidden();
    this.items = related.filter((item) => !hidden.includes(item.uri)).slice(0, MOST);
    this.view.message = this.items.length ? undefined : vscode.l10n.t('Nothing is related to this paragraph.');
    this.tell();
    this.changed.fire();
  }

  private clear(message?: string): void {
    this.items = [];
    this.view.message = message;
    this.changed.fire();
  }

  /** What the view's head and its buttons say. */
  private tell(): void {
    const place = this.asked && `${vscode.workspace.asRelativePath(this.asked.uri)}:${this.asked.line + 1}`;
    const state = this.pinned ? vscode.l10n.t('pinned') : this.following ? undefined : vscode.l10n.t('paused');
    this.view.description = [state, place].filter(Boolean).join(' · ');
    for (const [key, value] of [['pinned', this.pinned], ['pausedFollowing', !this.following], ['hidden', this.hidden().length > 0]] as const) {
      void vscode.commands.executeCommand('setContext', `postil.related.${key}`, value);
    }
  }

  // the buttons

  setPinned(pinned: boolean): void {
    this.pinned = pinned;
    this.tell();
    this.follow();
  }

  setFollowing(following: boolean): void {
    this.following = following;
    this.tell();
    this.follow();
  }

  private hidden(): readonly string[] {
    return this.context.workspaceState.get<string[]>(HIDDEN, []);
  }

  async hide(item: Related): Promise<void> {
    await this.context.workspaceState.update(HIDDEN, [...this.hidden(), item.uri]);
    this.items = this.items.filter(({ uri }) => uri !== item.uri);
    this.tell();
    this.changed.fire();
  }

  async unhide(): Promise<void> {
    await this.context.workspaceState.update(HIDDEN, undefined);
    this.tell();
    await this.ask(this.asked);
  }

  async open(item: Related): Promise<void> {
    await vscode.window.showTextDocument(vscode.Uri.parse(item.uri), { selection: startOf(item), preview: true });
  }

  async preview(item: Related): Promise<void> {
    const options = { selection: startOf(item), preview: true, preserveFocus: true, viewColumn: vscode.ViewColumn.Beside };
    await vscode.window.showTextDocument(vscode.Uri.parse(item.uri), options);
  }

  async insertLink(item: Related): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor) {
      await editor.edit((edit) => edit.replace(editor.selection, linkTo(item, editor.document)));
    }
  }

  // the tree

  getChildren(parent?: Node): Node[] | Promise<Node[]> {
    if (parent) {
      return 'inside' in parent ? parent.inside() : [];
    }
    const weaker = this.items.filter((item) => !isLinked(item) && item.confidence < SURE);
    const others = this.items.filter((item) => !weaker.includes(item));
    const less = { label: vscode.l10n.t('{0} less sure', weaker.length), open: !others.length, inside: () => weaker };
    const links = { label: vscode.l10n.t('Backlinks'), open: false, inside: () => this.backlinks() };
    const named = { label: vscode.l10n.t('Unlinked mentions'), open: false, inside: () => this.mentions() };
    return [...others, ...(weaker.length ? [less] : []), ...(this.asked && isNote(this.asked.uri) ? [links, named] : [])];
  }

  private async mentions(): Promise<Item[]> {
    if (!this.asked || !vscode.workspace.getWorkspaceFolder(this.asked.uri)) {
      return [];
    }
    const params = { textDocument: { uri: this.asked.uri.toString() }, limit: MOST_MENTIONS };
    const { mentions } = await this.session.request<{ mentions: Mention[] }>('postil/mentions', params);
    return mentions.map((mention) => ({
      ...mention, mention, heading: '', confidence: 1, reason: '', said: `${lineOf(mention)} · ${mention.snippet}`,
    }));
  }

  /** Make the mention a link to the note that it names, and show it there. */
  async linkMention({ mention }: Item): Promise<void> {
    if (!mention || !this.asked) {
      return;
    }
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(mention.uri));
    const { start, end } = mention.range;
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    const root = vscode.workspace.getWorkspaceFolder(this.asked.uri)?.uri.fsPath ?? '';
    const named = document.getText(range);
    if (named.split(/\s+/).join(' ') !== mention.name) {
      return; // the note has changed since: it is asked for anew
    }
    const link = linkTo({ ...mention, uri: this.asked.uri.toString(), root, title: mention.name, heading: '', confidence: 1, reason: '' }, document);
    const editor = await vscode.window.showTextDocument(document, { selection: range, preserveFocus: true, preview: false });
    await editor.edit((edit) => edit.replace(range, link));
    this.changed.fire();
  }

  private async backlinks(): Promise<Item[]> {
    const found = this.asked ? await backlinks(this.session, this.asked.uri) : [];
    return found.map((place) => {
      const uri = vscode.Uri.parse(place.uri);
      const root = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? '';
      return { ...place, root, title: lineOf(place), heading: '', snippet: '', confidence: 1, reason: '', said: '' };
    });
  }

  getTreeItem(item: Node): vscode.TreeItem {
    if ('inside' in item) {
      const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
      return new vscode.TreeItem(item.label, item.open ? Expanded : Collapsed);
    }
    const heading = item.heading.split(' > ').filter((part) => part && part !== item.title);
    const label = [item.title, ...heading.slice(-1)].join(' › ');
    const tree = new vscode.TreeItem(label);
    tree.description = item.said ?? (isLinked(item) ? item.reason : `${Math.round(item.confidence * 100)} % · ${item.reason}`);
    tree.iconPath = new vscode.ThemeIcon(ICONS[item.kind ?? 'note']);
    tree.contextValue = item.mention ? 'mention' : item.sha ? 'relatedCommit' : 'related';
    tree.tooltip = new vscode.MarkdownString().appendText(`${item.sha?.slice(0, 10) ?? vscode.workspace.asRelativePath(vscode.Uri.parse(item.uri))}\n\n${item.snippet}`);
    tree.command = { command: 'postil.related.open', title: vscode.l10n.t('Open'), arguments: [item] };
    tree.accessibilityInformation = { label: item.said !== undefined ? `${label}, ${item.said}` : vscode.l10n.t('{0}, confidence {1} percent, {2}', label, Math.round(item.confidence * 100), item.reason) };
    return tree;
  }

  handleDrag(given: readonly (Node)[], data: vscode.DataTransfer): void {
    const items = given.flatMap((item) => ('inside' in item ? [] : [item]));
    const text = items.map((item) => linkTo(item, vscode.window.activeTextEditor?.document)).join('\n');
    data.set('text/plain', new vscode.DataTransferItem(text));
    data.set(MIME, new vscode.DataTransferItem(JSON.stringify(items))); // a drop into an editor gets a text, whatever is given here
  }

  dispose(): void {
    clearTimeout(this.rest);
    this.asking?.cancel();
    vscode.Disposable.from(...this.subscriptions, this.changed).dispose();
  }
}

function follows(): boolean {
  return vscode.workspace.getConfiguration().get(FOLLOW, true);
}

function here(): Asked | undefined {
  const editor = vscode.window.activeTextEditor;
  const scheme = editor?.document.uri.scheme;
  return editor && (scheme === 'file' || scheme === 'untitled') ? { uri: editor.document.uri, line: editor.selection.active.line } : undefined;
}

function isNote(uri: vscode.Uri): boolean {
  return /\.(md|mdx|markdown|rst|txt)$/i.test(uri.path);
}

/** The server's words for a note that a link joins: its confidence is that of the words alone. */
function isLinked({ reason }: Related): boolean {
  return /^link(s|ed) /.test(reason);
}

function lineOf({ uri, range }: Place): string {
  return `${vscode.workspace.asRelativePath(vscode.Uri.parse(uri))}:${range.start.line + 1}`;
}

function startOf(item: Related): vscode.Range {
  return new vscode.Range(item.range.start.line, 0, item.range.start.line, 0);
}

export function linkTo(item: Related, document: vscode.TextDocument | undefined): string {
  const style = vscode.workspace.getConfiguration('postil', document?.uri).get<'wiki' | 'markdown'>('notes.linkStyle', 'wiki');
  const file = vscode.Uri.parse(item.uri).fsPath;
  const target = { file, root: item.root ?? '', title: item.title, heading: item.heading };
  return linkText(style, target, document?.uri.scheme === 'file' ? document.uri.fsPath : undefined);
}

/** A dragged note dropped into a text is a link to it. */
export const linkDrop: vscode.DocumentDropEditProvider = {
  async provideDocumentDropEdits(document, _position, data) {
    const given = await data.get(MIME)?.asString();
    const items = given ? (JSON.parse(given) as readonly Related[]) : [];
    return items.length ? new vscode.DocumentDropEdit(items.map((item) => linkTo(item, document)).join('\n')) : undefined;
  },
};
