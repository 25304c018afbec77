// The commands of the palette: each asks the server one thing, or shows one view.

import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Asking } from './answer/asking';
import { show } from './errors';
import { suggestTags } from './tags';
import { search } from './search';
import { pastAnswers } from './answer/past';
import { openLines } from './places';
import { LanguageChoice, takeModel, useLanguageModel } from './models/taking';
import type { Range } from './protocol';
import type { Session } from './server/session';
import type { HistoryView, HunkNode } from './views/history';
import { showBacklinks } from './views/backlinks';
import type { RelatedView } from './views/related';

export interface Parts {
  readonly session: Session;
  readonly asking: Asking;
  readonly related: RelatedView;
  readonly history: HistoryView;
  readonly openStatus: () => Promise<void>;
  readonly openModels: () => Promise<void>;
}

/** What lenses and actions of the server give. */
interface Asked {
  readonly textDocument: { readonly uri: string };
  readonly range?: Range;
  readonly question?: string;
}

type Command = (...given: never[]) => unknown;

/** A question is not lost by a look at the text, nor when a panel takes the focus that it had before the palette. */
const KEPT_OPEN = true;

export function commands(parts: Parts): Record<string, Command> {
  return { ...answers(parts), ...views(parts), ...histories(parts), ...orders(parts) };
}

function answers({ session, asking }: Parts): Record<string, Command> {
  return {
    'postil.ask': async (given?: string | Asked) => {
      const of = typeof given === 'object' ? given : undefined;
      const question = (typeof given === 'string' ? given : of?.question) ?? (await vscode.window.showInputBox({
        title: vscode.l10n.t('Ask Postil'),
        placeHolder: vscode.l10n.t('What do you want to know from your notes, code and history?'),
        ignoreFocusOut: KEPT_OPEN,
      }));
      if (question?.trim()) {
        await asking.ask({ method: 'postil/ask', params: { ...(of ?? openDocument()), question }, title: question });
      }
    },
    'postil.askSelection': async (given?: string) => {
      const chosen = selected();
      if (!chosen) {
        return tell(vscode.l10n.t('Select the text that the question is about.'));
      }
      const question = given ?? (await vscode.window.showInputBox({
        title: vscode.l10n.t('Ask Postil about the selection'),
        placeHolder: vscode.l10n.t('Why is this done here?'),
        ignoreFocusOut: KEPT_OPEN,
      }));
      if (question?.trim()) {
        await asking.ask({ method: 'postil/ask', params: { question, ...chosen }, title: question });
      }
    },
    'postil.summariseFile': async (uri?: vscode.Uri) => {
      const file = uri ?? vscode.window.activeTextEditor?.document.uri;
      if (!file) {
        return tell(vscode.l10n.t('Open the file that is to be summarised.'));
      }
      await asking.ask(summary({ textDocument: { uri: file.toString() } }, shortName(file)));
    },
    'postil.summarise': (of: Asked) => asking.ask(summary({ ...of }, shortName(vscode.Uri.parse(of.textDocument.uri)))),
    'postil.summariseSelection': async () => {
      const chosen = selected();
      if (!chosen) {
        return tell(vscode.l10n.t('Select the text that is to be summarised.'));
      }
      const { start, end } = chosen.range;
      await asking.ask(summary(chosen, `${shortName(vscode.Uri.parse(chosen.textDocument.uri))}:${start.line + 1}-${end.line + 1}`));
    },
    'postil.summariseFolder': async (uri?: vscode.Uri) => {
      const folder = uri ?? (await chosenFolder());
      if (folder) {
        await asking.ask(summary({ textDocument: { uri: folder.toString() } }, shortName(folder)));
      }
    },
    'postil.summariseRecent': async (given?: string) => {
      const since = given ?? (await chosenSince());
      if (since?.trim()) {
        await asking.ask(summary({ since }, vscode.l10n.t('changes since {0}', since)));
      }
    },
    'postil.answer.stop': () => asking.stop(),
    'postil.answer.followUp': () => asking.focusFollowUp(),
    'postil.answer.copy': () => asking.act('copy'),
    'postil.answer.insert': () => asking.act('insert'),
    'postil.answer.save': () => asking.act('save'),
    'postil.suggestTags': () => suggestTags(session),
    'postil.pastAnswers': () => pastAnswers(session, asking),
  };
}

function summary(params: { readonly [name: string]: unknown }, of: string) {
  return { method: 'postil/summarise' as const, params, title: vscode.l10n.t('Summary of {0}', of) };
}

function views({ session, related }: Parts): Record<string, Command> {
  return {
    'postil.search': () => search(session),
    'postil.related': () => related.askHere(),
    'postil.backlinks': (of?: Asked) => showBacklinks(session, of?.textDocument.uri),
    'postil.related.pin': () => related.setPinned(true),
    'postil.related.unpin': () => related.setPinned(false),
    'postil.related.pauseFollowing': () => related.setFollowing(false),
    'postil.related.follow': () => related.setFollowing(true),
    'postil.related.open': related.open.bind(related),
    'postil.related.preview': related.preview.bind(related),
    'postil.related.insertLink': related.insertLink.bind(related),
    'postil.related.hide': related.hide.bind(related),
    'postil.related.linkMention': related.linkMention.bind(related),
    'postil.related.unhide': () => related.unhide(),
  };
}

function histories({ history }: Parts): Record<string, Command> {
  return {
    'postil.historyQuery': async (given?: string) => {
      const query = given ?? (await vscode.window.showInputBox({
        title: vscode.l10n.t('Query the commit history'),
        placeHolder: vscode.l10n.t('When did retries get jitter? What did Maya change in March?'),
        value: history.query,
        ignoreFocusOut: KEPT_OPEN,
      }));
      if (query !== undefined) {
        await history.question(query);
      }
    },
    'postil.historyFile': async (uri?: vscode.Uri) => {
      const file = uri ?? vscode.window.activeTextEditor?.document.uri;
      return file ? history.ofDocument(file.toString()) : tell(vscode.l10n.t('Open the file whose history is wanted.'));
    },
    'postil.historySelection': async () => {
      const editor = vscode.window.activeTextEditor;
      return editor ? history.ofDocument(editor.document.uri.toString(), wholeLines(editor.selection)) : tell(vscode.l10n.t('Open the file whose history is wanted.'));
    },
    'postil.historySymbol': async () => {
      const editor = vscode.window.activeTextEditor;
      const word = editor?.document.getWordRangeAtPosition(editor.selection.active);
      const name = editor && word ? editor.document.getText(word) : await vscode.window.showInputBox({ prompt: vscode.l10n.t('Name of a function, class or type') });
      if (name?.trim()) {
        await history.ofSymbol(name);
      }
    },
    'postil.history': (of: Asked) => history.ofDocument(of.textDocument.uri, of.range),
    'postil.history.addFilter': () => history.addFilter(),
    'postil.history.editFilter': history.editFilter.bind(history),
    'postil.history.removeFilter': history.removeFilter.bind(history),
    'postil.history.more': () => history.more(),
    'postil.history.openChange': (node: HunkNode) => history.openHunk(node),
    'postil.history.openCommit': history.openCommit.bind(history),
    'postil.history.openNow': async ({ hunk }: HunkNode) => hunk.now && openLines(hunk.now),
    'postil.history.openWas': ({ hunk }: HunkNode) => openLines(hunk.was),
    'postil.history.copyId': async (node: { commit: { sha: string } }) => vscode.env.clipboard.writeText(node.commit.sha),
  };
}

function orders({ session, openStatus, openModels }: Parts): Record<string, Command> {
  const order = (what: 'pause' | 'resume') => () => session.request('workspace/executeCommand', { command: `postil.server.${what}`, arguments: [] });
  return {
    'postil.status': openStatus,
    'postil.models': openModels,
    'postil.takeModel': (setting: string) => takeModel(session, setting),
    'postil.useLanguageModel': (choice: LanguageChoice) => useLanguageModel(session, choice),
    'postil.modelSettings': () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:postil.postil llm'),
    'postil.pause': order('pause'),
    'postil.resume': order('resume'),
    'postil.why': async (uri?: vscode.Uri) => {
      const file = uri ?? (await chosenFile());
      if (file) {
        const { sentence } = await session.request<{ sentence: string }>('postil/why', { textDocument: { uri: file.toString() } });
        void vscode.window.showInformationMessage(sentence);
        return sentence;
      }
      return undefined;
    },
    'postil.restart': () => session.restart(),
    'postil.stop': () => session.stop(),
    'postil.showLog': () => session.log.show(),
    'postil.walkthrough': () => vscode.commands.executeCommand('workbench.action.openWalkthrough', 'postil.postil#start', false),
  };
}

export function register(parts: Parts): vscode.Disposable {
  const registered = Object.entries(commands(parts)).map(([name, run]) =>
    vscode.commands.registerCommand(name, async (...given: unknown[]) => {
      try {
        return await run(...(given as never[]));
      } catch (error) {
        void show(error, parts.session); // not awaited: it stays until somebody looks at it
        return undefined;
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

// what is at hand

function openDocument() {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri && (uri.scheme === 'file' || uri.scheme === 'untitled') ? { textDocument: { uri: uri.toString() } } : {};
}

function selected(): { textDocument: { uri: string }; range: Range } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) {
    return undefined;
  }
  return { textDocument: { uri: editor.document.uri.toString() }, range: plainRange(editor.selection) };
}

function plainRange({ start, end }: vscode.Range): Range {
  return { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
}

/** A selection that ends at the start of a line does not mean that line. */
function wholeLines(selection: vscode.Selection): Range {
  const last = selection.end.character === 0 && !selection.isSingleLine ? selection.end.line : selection.end.line + 1;
  return { start: { line: selection.start.line, character: 0 }, end: { line: last, character: 0 } };
}

async function chosenFolder(): Promise<vscode.Uri | undefined> {
  const here = vscode.window.activeTextEditor?.document.uri;
  const around = here?.scheme === 'file' ? vscode.Uri.joinPath(here, '..') : vscode.workspace.workspaceFolders?.[0]?.uri;
  const [chosen] = (await vscode.window.showOpenDialog({
    canSelectFolders: true, canSelectFiles: false, canSelectMany: false,
    openLabel: vscode.l10n.t('Summarise'), ...(around && { defaultUri: around }),
  })) ?? [];
  return chosen;
}

async function chosenSince(): Promise<string | undefined> {
  const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
  const items = [
    { label: vscode.l10n.t('the last day'), description: days(1) },
    { label: vscode.l10n.t('the last week'), description: days(7) },
    { label: vscode.l10n.t('the last month'), description: days(30) },
    { label: vscode.l10n.t('another date or commit…'), description: '' },
  ];
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t('Summarise the changes of') });
  return chosen && (chosen.description || (await vscode.window.showInputBox({ prompt: vscode.l10n.t('Since which date or commit?'), placeHolder: days(7) })));
}

async function chosenFile(): Promise<vscode.Uri | undefined> {
  const here = vscode.window.activeTextEditor?.document.uri;
  const root = vscode.workspace.workspaceFolders?.[0]?.uri;
  const given = await vscode.window.showInputBox({
    title: vscode.l10n.t('Why isn\'t this file found?'),
    prompt: vscode.l10n.t('A path, relative to the folder'),
    ...(here?.scheme === 'file' && { value: vscode.workspace.asRelativePath(here, false) }),
  });
  if (!given?.trim()) {
    return undefined;
  }
  return path.isAbsolute(given) ? vscode.Uri.file(given) : root && vscode.Uri.joinPath(root, given);
}

function shortName(uri: vscode.Uri): string {
  return vscode.workspace.asRelativePath(uri) || path.basename(uri.fsPath);
}

function tell(said: string): void {
  void vscode.window.showInformationMessage(said);
}
