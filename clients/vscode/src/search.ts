// Search as one types, in the editor's quick pick.

import * as vscode from 'vscode';
import { isCancelled, offerStart, words } from './errors';
import { openPlace } from './places';
import type { Hit, SearchAnswer } from './protocol';
import type { Session } from './server/session';

const REST_MS = 120; // between two letters of somebody who goes on typing
const MOST = 30;
const ICONS = { code: 'symbol-method', note: 'note', commit: 'git-commit' } as const;

interface Found extends vscode.QuickPickItem {
  readonly hit?: Hit;
}

export function search(session: Session): vscode.QuickPick<Found> {
  const picker = vscode.window.createQuickPick<Found>();
  const beside = { iconPath: new vscode.ThemeIcon('split-horizontal'), tooltip: vscode.l10n.t('Open to the side') };
  let rest: NodeJS.Timeout | undefined;
  let asking: vscode.CancellationTokenSource | undefined;
  picker.placeholder = vscode.l10n.t('Search notes, code and commits: words, a question or a name');
  (picker as { sortByLabel?: boolean }).sortByLabel = false; // the server's order stands

  const ask = async (query: string) => {
    asking?.cancel();
    const source = (asking = new vscode.CancellationTokenSource());
    picker.busy = true;
    try {
      const answer = await session.request<SearchAnswer>('postil/search', { query, limit: MOST }, source.token);
      picker.items = answer.hits.length ? answer.hits.map((hit) => item(hit, beside)) : [message(vscode.l10n.t('Nothing found'))];
    } catch (error) {
      if (!isCancelled(error)) {
        picker.items = [message(words(error))];
      }
    } finally {
      if (source === asking) {
        picker.busy = false;
      }
    }
  };
  picker.onDidChangeValue((value) => {
    clearTimeout(rest);
    if (value.trim()) {
      rest = setTimeout(() => void ask(value), REST_MS);
    } else {
      asking?.cancel();
      picker.items = [];
    }
  });
  picker.onDidAccept(async () => {
    const [chosen] = picker.selectedItems;
    if (chosen?.hit) {
      picker.hide();
      await openPlace(chosen.hit);
    }
  });
  picker.onDidTriggerItemButton(({ item: { hit } }) => hit && void openPlace(hit, vscode.ViewColumn.Beside));
  picker.onDidHide(() => {
    clearTimeout(rest);
    asking?.cancel();
    picker.dispose();
  });
  if (session.phase.is === 'running') {
    picker.show();
  } else {
    void offerStart(session);
  }
  return picker;
}

function item(hit: Hit, beside: vscode.QuickInputButton): Found {
  const where = hit.kind === 'commit' ? (hit.sha ?? '').slice(0, 10) : `${vscode.workspace.asRelativePath(vscode.Uri.parse(hit.uri))}:${hit.range.start.line + 1}`;
  const snippet = hit.snippet.replace(/\s+/g, ' ').trim();
  return {
    label: `$(${ICONS[hit.kind]}) ${plain(hit.name || snippet)}`,
    description: plain(where),
    detail: plain(snippet),
    alwaysShow: true,
    buttons: [beside],
    hit,
  };
}

function message(label: string): Found {
  return { label, alwaysShow: true };
}

/** Labels turn `$(name)` into icons: a text of the workspace must not. */
export function plain(text: string): string {
  return text.replace(/\$\(/g, '$\u200b(').slice(0, 300);
}
