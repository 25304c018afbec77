// How the history view shows its filters, commits and hunks.

import * as vscode from 'vscode';
import type { CommitNode, Filter, HunkNode } from './history';
import type { Hunk, Range } from '../protocol';

export function filterItem({ name, value }: Filter): vscode.TreeItem {
  const item = new vscode.TreeItem(filterLabel(name));
  item.description = value || vscode.l10n.t('any');
  item.iconPath = new vscode.ThemeIcon(name === 'words' ? 'search' : 'filter');
  item.contextValue = name === 'words' ? 'filterWords' : name === 'range' ? 'fixed' : 'filter';
  if (name !== 'range') {
    item.command = { command: 'postil.history.editFilter', title: vscode.l10n.t('Edit'), arguments: [{ is: 'filter', name, value }] };
  }
  return item;
}

export function commitItem(node: CommitNode): vscode.TreeItem {
  const { commit } = node;
  const symbols = [...new Set(commit.hunks.map(({ symbol }) => symbol).filter(Boolean))];
  const item = new vscode.TreeItem(commit.subject || commit.sha.slice(0, 10), vscode.TreeItemCollapsibleState.Collapsed);
  const state = commit.reverted_by ? vscode.l10n.t('reverted') : commit.release;
  item.description = [day(commit.committed_at), commit.author, commit.branch, state, ...symbols.slice(0, 3)].filter(Boolean).join(' · ');
  item.iconPath = new vscode.ThemeIcon(commit.reverted_by ? 'discard' : 'git-commit');
  item.contextValue = 'commit';
  item.command = { command: 'postil.history.openCommit', title: vscode.l10n.t('Show the change'), arguments: [node] };
  const files = commit.files.map((uri) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri)));
  item.tooltip = new vscode.MarkdownString().appendText(`${commit.subject}\n\n${commit.sha.slice(0, 10)} · ${commit.author}\n${files.slice(0, 20).join('\n')}`);
  return item;
}

export function hunkItem(node: HunkNode): vscode.TreeItem {
  const { hunk } = node;
  const line = hunk.range.start.line + 1;
  const item = new vscode.TreeItem(hunk.symbol || vscode.l10n.t('line {0}', line));
  const place = `${vscode.workspace.asRelativePath(vscode.Uri.parse(hunk.uri))}:${line}`;
  item.description = [place, since(hunk)].filter(Boolean).join(' · ');
  item.iconPath = new vscode.ThemeIcon(hunk.symbol ? 'symbol-method' : 'diff');
  item.contextValue = hunk.now ? 'hunkNow' : 'hunk';
  item.tooltip = new vscode.MarkdownString().appendCodeblock(hunk.text, 'diff');
  item.command = { command: 'postil.history.openChange', title: vscode.l10n.t('Show the change'), arguments: [node] };
  return item;
}

/** What has come of changed lines, where that is known. */
function since({ followed, now }: Hunk): string | undefined {
  if (followed && !now) {
    return vscode.l10n.t('gone');
  }
  return now?.whole === false ? vscode.l10n.t('changed since') : undefined;
}

export function moreItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('More commits…'));
  item.command = { command: 'postil.history.more', title: vscode.l10n.t('More commits…') };
  return item;
}

export function filterLabel(given: string): string {
  const t = vscode.l10n.t;
  const labels: Record<string, string> = {
    words: t('Words'), path: t('Path'), range: t('Lines'), file: t('File'), author: t('Author'), committer: t('Committer'), after: t('After'),
    before: t('Before'), symbol: t('Name in the code'), kind: t('Kind'), release: t('Release'), message: t('In the message'),
    change: t('In the change'), issue: t('Issue'), merge: t('Merges'), sha: t('Commit'),
  };
  const name = given.replace(/^-/, '');
  const label = labels[name] ?? name;
  return given.startsWith('-') ? t('Not: {0}', label) : label;
}

export function shownValue(name: string, value: unknown): string {
  if (name === 'range') {
    const { start, end } = value as Range;
    return `${start.line + 1}–${Math.max(end.line, start.line + 1)}`;
  }
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function day(at: number): string {
  return new Date(at * 1000).toISOString().slice(0, 10);
}
