// The status page: what is indexed, left out and sent, in words and numbers.

import * as vscode from 'vscode';
import { escaped } from '../answer/panel';
import type { FolderStatus, SetModels, Sent, Status } from '../protocol';
import type { Session } from '../server/session';
import { button, buttons, LivePage, rows } from './livepage';
import { modelWords, proseWords } from './models';

const LOOK_MS = 2_000;
const LOOK_MODELS_MS = 30_000; // a server of models is asked for its list each time
const COMMANDS = ['postil.pause', 'postil.resume', 'postil.restart', 'postil.stop', 'postil.showLog', 'postil.why', 'postil.setUp', 'postil.models'];

export class StatusPage extends LivePage {
  private models: { readonly asked: number; readonly set: Promise<SetModels | undefined> } | undefined;

  constructor(extension: vscode.Uri, private readonly session: Session) {
    super(extension, {
      id: 'postil.status', title: vscode.l10n.t('Postil: status'), commands: COMMANDS, everyMs: LOOK_MS, body: () => this.body(),
    });
  }

  private async body(): Promise<string> {
    const { session } = this;
    const heading = `<h1>Postil</h1><p>${escaped(session.words())}</p>`;
    const server = (more: readonly (readonly [string, string | undefined])[] = []) => `<h2>${escaped(vscode.l10n.t('Server'))}</h2>${rows([
      [vscode.l10n.t('Server'), session.found && `${session.found.command} (${fromWhere(session)})`],
      [vscode.l10n.t('Version'), session.version],
      ...more,
    ])}`;
    if (session.phase.is !== 'running') {
      return `${heading}${orders(['postil.restart', 'postil.setUp', 'postil.showLog'])}${server()}`;
    }
    try {
      const [{ folders, log, sent }, set] = await Promise.all([session.request<Status>('postil/status', {}), this.setModels()]);
      const paused = folders.some(({ worker }) => worker?.state === 'paused');
      const first = orders([paused ? 'postil.resume' : 'postil.pause', 'postil.models', 'postil.why', 'postil.showLog', 'postil.restart']);
      const about = `${modelSection(set)}${sentSection(sent, set)}`;
      return `${heading}${first}${folders.map(folderSection).join('')}${about}${server([[vscode.l10n.t('Log'), log]])}`;
    } catch (error) {
      return `${heading}<p>${escaped(String(error))}</p>${server()}`;
    }
  }

  private setModels(): Promise<SetModels | undefined> {
    if (!this.models || Date.now() - this.models.asked > LOOK_MODELS_MS) {
      const set = this.session.request<SetModels>('postil/model', {}).catch(() => undefined); // of a server that is older
      this.models = { asked: Date.now(), set };
    }
    return this.models.set;
  }
}

function folderSection(folder: FolderStatus): string {
  const t = vscode.l10n.t;
  const { uri, worker } = folder;
  const doing = worker && [state(worker.state), worker.state === 'indexing' && worker.total ? `${worker.done} / ${worker.total}` : ''].filter(Boolean).join(' · ');
  const known = rows([
    [t('Folder'), vscode.Uri.parse(uri).fsPath],
    [t('Indexing'), doing || t('not started')],
    [t('Failure'), worker?.failure],
    [t('Watching'), [worker?.watching && watching(worker.watching), worker?.watching_reason].filter(Boolean).join(': ')],
    [t('Outside the workspace'), folder.outside ? t('yes') : undefined],
    [t('Files'), count(folder.files)],
    [t('Languages'), counts(folder.languages)],
    [t('Not read yet'), count(folder.pending || undefined)],
    [t('Passages by kind'), counts(folder.passages, kind)],
    [t('Commits'), count(folder.commits)],
    [t('With vectors'), counts(folder.share_embedded, kind, (share) => `${Math.round(100 * share)} %`)],
    [t('Failed'), count(folder.failed || undefined)],
    [t('Left out'), counts(folder.skipped, skipped)],
    [t('Size on disk'), folder.bytes === undefined ? undefined : `${(folder.bytes / 1e6).toFixed(1)} MB`],
    [t('Warnings'), folder.warnings?.join('; ')],
  ]);
  return `<h2>${escaped(folder.name)}</h2>${folder.indexed ? '' : `<p>${escaped(t('Not indexed yet.'))}</p>`}${known}`;
}

function modelSection(set: SetModels | undefined): string {
  const t = vscode.l10n.t;
  return set ? `<h2>${escaped(t('Models'))}</h2>${rows([[t('Language model'), modelWords(set.language)], [t('Vectors of notes'), proseWords(set.prose)]])}` : '';
}

/** What the log knows; that an endpoint is set says that more may follow. */
function sentSection(sent: Sent | undefined, set: SetModels | undefined): string {
  if (!sent) {
    return '';
  }
  const t = vscode.l10n.t;
  const time = (at: string) => new Date(at).toLocaleString(vscode.env.language);
  const known = sent.endpoints.map(({ endpoint, prompts, tokens, masked, last_at }): [string, string] => [
    endpoint, t('{0} prompts of {1} tokens together, {2} texts masked; the last {3}', prompts.toLocaleString(), tokens.toLocaleString(), masked, time(last_at)),
  ]);
  const far = set?.prose.endpoint && !set.prose.local ? [[set.prose.endpoint, t('passages of notes and questions, for their vectors')] as const] : [];
  const nothing = `<p>${escaped(sent.since ? t('Nothing, since the log begins ({0}).', time(sent.since)) : t('Nothing.'))}</p>`;
  return `<h2>${escaped(t('Left this machine'))}</h2>${rows([...known, ...far]) || nothing}`;
}

function count(number: number | undefined): string | undefined {
  return number?.toLocaleString(vscode.env.language);
}

function counts(given: Readonly<Record<string, number>> | undefined, name = (key: string) => key, value = (amount: number) => amount.toLocaleString(vscode.env.language)): string | undefined {
  return given && Object.entries(given).map(([key, amount]) => `${name(key)} ${value(amount)}`).join(', ');
}

function kind(key: string): string {
  const t = vscode.l10n.t;
  const kinds: Record<string, string> = { code: t('code'), note: t('notes'), commit: t('commits') };
  return kinds[key] ?? key;
}

/** Why files are left out, by the index's own names of the reasons. */
function skipped(reason: string): string {
  const t = vscode.l10n.t;
  const reasons: Record<string, string> = {
    ignored: t('ignored by git'), postilignore: t('by postilignore'), excluded: t('excluded in your settings'), version_control: t('version control'),
    tool_folder: t('folders of tools'), secret: t('secrets'), binary: t('binary'), drawing: t('drawings'), too_large: t('too large'), minified: t('minified'),
    generated: t('generated'), symlink: t('links to files that are here'), outside: t('links out of the folder'), placeholder: t('in the cloud only'),
    special: t('pipes and devices'), unreadable: t('unreadable'), missing: t('gone while it was read'),
  };
  return reasons[reason] ?? reason.replace(/_/g, ' ');
}

/** How changes are noticed. */
function watching(mode: string): string {
  const t = vscode.l10n.t;
  const modes: Record<string, string> = { watching: t('changes are seen at once'), polling: t('looks for changes now and then') };
  return modes[mode] ?? mode;
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

function orders(commands: readonly string[]): string {
  const t = vscode.l10n.t;
  const titles: Record<string, string> = {
    'postil.pause': t('Pause indexing'), 'postil.resume': t('Resume indexing'), 'postil.restart': t('Restart'), 'postil.stop': t('Stop'),
    'postil.showLog': t('Show log'), 'postil.why': t('Why isn\'t a file found?'), 'postil.setUp': t('Set up Postil'), 'postil.models': t('Models'),
  };
  return buttons(commands.map((command) => button(command, titles[command] ?? command)));
}
