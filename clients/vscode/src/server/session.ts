// The language server of this window: found, started, watched, restarted, stopped. Everybody asks through `request`.

import * as fs from 'node:fs';
import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, HoverRequest, LanguageClient, LanguageClientOptions, RevealOutputChannelOn, State, TransportKind, WorkDoneProgress, WorkspaceEdit,
} from 'vscode-languageclient/node';
import { contributed, OTHERS, serverSettings } from '../settings';
import { findServer, Found, Places } from './find';
import { Problem } from './problems';
import { Rest } from './rest';
import { said } from './said';
import { StartSettings } from './startsettings';

export type Phase =
  | { readonly is: 'untrusted' | 'stopped' | 'settingUp' | 'starting' | 'running' }
  | { readonly is: 'missing'; readonly problem: Problem }
  | { readonly is: 'failed'; readonly reason: string };

/** postil/answer: `kind` says what else is in it. */
export interface Streamed {
  readonly stream: string;
  readonly seq: number;
  readonly kind: string;
}

/** What lenses and actions of the server may run here. */
const CLIENT_COMMANDS = ['postil.ask', 'postil.related', 'postil.backlinks', 'postil.summarise', 'postil.history'];

/** An answer to a request that came while there is no server to ask. */
export class NotRunningError extends Error {}

const CRASHES = 4; // within the time below, as in other clients of the kind: then a restart helps nobody
const CRASH_TIME_MS = 180_000;
const STARTING_MS = 10_000; // for a server to answer its first request before it is stopped all the same

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private crashes: number[] = [];
  private now: Phase = { is: 'stopped' };
  private turn: Promise<void> = Promise.resolve();
  private starting: Promise<void> = Promise.resolve();
  private due: Promise<void> | undefined; // a start that waits for its turn
  private readonly changed = new vscode.EventEmitter<Phase>();
  private readonly streamed = new vscode.EventEmitter<Streamed>();
  readonly onDidChange = this.changed.event;
  /** What is told of an answer while it is made. */
  readonly onDidStream = this.streamed.event;
  readonly startSettings = new StartSettings(() => this.startsWith(), () => this.startAgain());
  found: Found | undefined;

  constructor(private readonly context: vscode.ExtensionContext, readonly log: vscode.LogOutputChannel) {}

  get phase(): Phase {
    return this.now;
  }

  set phase(phase: Phase) {
    this.now = phase;
    void vscode.commands.executeCommand('setContext', 'postil.running', phase.is === 'running');
    void vscode.commands.executeCommand('setContext', 'postil.needsSetUp', phase.is === 'missing');
    this.changed.fire(phase);
  }

  get version(): string | undefined {
    return this.client?.initializeResult?.serverInfo?.version;
  }

  places(): Places {
    const config = vscode.workspace.getConfiguration('postil');
    return {
      // the user's own value: one of a workspace is not looked at, whatever the editor makes of its scope
      setting: config.inspect<string>('server.path')?.globalValue ?? '',
      storage: this.context.globalStorageUri.fsPath,
      searchPath: process.env['PATH'],
      workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      windows: process.platform === 'win32',
    };
  }

  /** Settled when the server runs, or when it is said why it doesn't. */
  async start(): Promise<void> {
    // one that has not begun yet sees what is set by then: three settings that change are not three starts in a row
    this.due ??= this.inTurn(() => {
      this.due = undefined;
      return this.begin();
    });
    await this.due;
    await this.starting;
  }

  private async begin(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      this.phase = { is: 'untrusted' };
      return;
    }
    this.phase = { is: 'starting' }; // before the old one goes: a request meanwhile is told so
    await this.halt();
    this.startSettings.take();
    const found = findServer(this.places());
    if ('code' in found) {
      this.log.warn(said(found));
      this.phase = { is: 'missing', problem: found };
      return;
    }
    this.found = found;
    this.log.info(`starting ${found.command} (${found.from})`);
    const client = (this.client = this.makeClient(found));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && client === this.client) {
        this.phase = { is: 'running' };
      }
    });
    client.onNotification('postil/answer', (event: Streamed) => this.streamed.fire(event));
    this.starting = client.start().catch((error: unknown) => {
      this.failed(client, String(error instanceof Error ? error.message : error));
    });
  }

  async stop(): Promise<void> {
    this.due = undefined; // who starts it from here on means afterwards
    await this.inTurn(() => {
      this.phase = { is: 'stopped' };
      return this.halt();
    });
  }

  /** Trust, settings and people start and stop in the same moment; one at a time comes to an end. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  async restart(): Promise<void> {
    this.crashes = [];
    await this.start();
  }

  /** With other settings; what is stopped or being set up takes them when it starts. */
  private async startAgain(): Promise<void> {
    if (this.now.is !== 'settingUp' && this.now.is !== 'stopped') {
      await this.restart();
    }
  }

  private async halt(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await Promise.race([this.starting, new Promise((late) => setTimeout(late, STARTING_MS))]); // until then it can't be stopped
    try {
      await client?.dispose();
    } catch (error) {
      this.log.warn(`the server did not stop as it should: ${String(error)}`); // it ends with its streams
    }
  }

  /** Raises NotRunningError with words for the user, or the server's error. */
  async request<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T> {
    const client = this.client;
    if (!client || !this.isRunning(client)) {
      throw new NotRunningError(this.words());
    }
    // told at once where the server goes meanwhile: one that does not end in time leaves what it was asked unanswered
    return new Promise<T>((answered, refused) => {
      const listening = this.onDidChange(() => {
        if (!this.isRunning(client)) {
          refused(new NotRunningError(this.words()));
        }
      });
      const sent = token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params);
      sent.then(answered, refused).finally(() => listening.dispose());
    });
  }

  private isRunning(client: LanguageClient): boolean {
    return client === this.client && this.now.is === 'running';
  }

  /** What the server says of work that it was given this token for. */
  onWork(token: string, said: (message: string) => void): vscode.Disposable {
    const heard = (work: { message?: string }) => {
      if (work.message) {
        said(work.message);
      }
    };
    return this.client?.onProgress(WorkDoneProgress.type, token, heard) ?? new vscode.Disposable(() => undefined);
  }

  /** What there is to say of a place, once what is open is known to the server; nothing where none runs then. */
  async hover(document: vscode.TextDocument, position: vscode.Position, token: vscode.CancellationToken): Promise<vscode.Hover | undefined> {
    await this.starting;
    const client = this.client;
    if (!client || !this.isRunning(client)) {
      return undefined;
    }
    const at = client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
    return client.protocol2CodeConverter.asHover(await client.sendRequest(HoverRequest.type, at, token));
  }

  /** Make an edit that the server proposed. */
  async apply(edit: WorkspaceEdit): Promise<boolean> {
    const made = await this.client?.protocol2CodeConverter.asWorkspaceEdit(edit);
    return made !== undefined && vscode.workspace.applyEdit(made);
  }

  words(): string {
    switch (this.now.is) {
      case 'untrusted':
        return vscode.l10n.t('This workspace is not trusted: nothing is indexed or sent until it is.');
      case 'missing':
        return said(this.now.problem);
      case 'failed':
        return vscode.l10n.t('Postil\'s server failed: {0}', this.now.reason);
      case 'settingUp':
        return vscode.l10n.t('Postil\'s server is being set up.');
      case 'starting':
        return vscode.l10n.t('Postil is starting.');
      case 'stopped':
        return vscode.l10n.t('Postil is stopped.');
      case 'running':
        return vscode.l10n.t('Postil is ready.');
    }
  }

  private makeClient(found: Found): LanguageClient {
    const config = vscode.workspace.getConfiguration('postil');
    const level = config.inspect<string>('server.logLevel')?.globalValue ?? 'info';
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled', language: 'markdown' }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { clientCommands: CLIENT_COMMANDS, userSettings: this.settings().userSettings },
      markdown: { isTrusted: false, supportHtml: false },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(client),
      },
      initializationFailedHandler: () => false, // start() says it
      // the server asks for "postil" as a whole; it gets what was set, without what is the client's alone
      middleware: { ...new Rest().middleware, workspace: { configuration: ({ items }) => items.map(() => this.settings().settings) } },
    };
    const environment = { ...process.env, POSTIL_LOG_LEVEL: level };
    const run = { command: found.command, args: ['serve'], transport: TransportKind.stdio, options: { env: environment, cwd: this.folder() } };
    const client: LanguageClient = new LanguageClient('postil', 'Postil', run, options);
    return client;
  }

  /** The server's current folder: never an open one, from which an interpreter could import. */
  private folder(): string {
    const storage = this.context.globalStorageUri.fsPath;
    fs.mkdirSync(storage, { recursive: true });
    return storage;
  }

  private settings() {
    const beside = OTHERS.some((id) => vscode.extensions.getExtension(id));
    return serverSettings(vscode.workspace.getConfiguration('postil'), contributed(this.context.extension), beside);
  }

  /** What a server is not told of while it runs. */
  private startsWith(): unknown {
    const config = vscode.workspace.getConfiguration('postil.server');
    const own = ['path', 'interpreter', 'logLevel'].map((key) => config.inspect(key)?.globalValue ?? null);
    return [own, this.settings().userSettings];
  }

  private closed(client: LanguageClient): { action: CloseAction; message?: string; handled: boolean } {
    if (client !== this.client) {
      return { action: CloseAction.DoNotRestart, handled: true }; // we stopped it
    }
    const since = Date.now() - CRASH_TIME_MS;
    this.crashes = [...this.crashes.filter((at) => at > since), Date.now()];
    if (this.crashes.length < CRASHES) {
      this.log.warn('the server ended and is started again');
      this.phase = { is: 'starting' };
      return { action: CloseAction.Restart, handled: true };
    }
    this.phase = { is: 'failed', reason: vscode.l10n.t('it ended {0} times within three minutes; its log may say why', CRASHES) };
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private failed(client: LanguageClient, reason: string): void {
    if (client === this.client && this.now.is !== 'failed') {
      this.log.error(reason);
      this.phase = { is: 'failed', reason };
    }
  }

  dispose(): void {
    this.startSettings.dispose();
    void this.halt();
  }
}
