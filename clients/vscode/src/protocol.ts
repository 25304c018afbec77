// What the server's own requests take and give. Lines are 0-based, as in LSP.

import type { Position, Range } from 'vscode-languageserver-types';

export interface Place {
  readonly uri: string;
  readonly root?: string;
  readonly range: Range;
}

export interface Hit extends Place {
  readonly kind: 'code' | 'note' | 'commit';
  readonly name: string;
  readonly snippet: string;
  readonly confidence: number;
  readonly stale: boolean;
  readonly sha?: string;
  readonly document?: string; // URI of a commit's page
}

export interface SearchAnswer {
  readonly share_embedded: number;
  readonly hits: readonly Hit[];
}

export interface Related extends Place {
  readonly kind?: 'code' | 'note' | 'commit';
  readonly sha?: string;
  readonly title: string;
  readonly heading: string;
  readonly snippet: string;
  readonly confidence: number;
  readonly reason: string;
}

/** Changed lines; its own place is in the file as the commit left it, by that file's name. */
export interface Hunk extends Place {
  readonly symbol: string;
  readonly text: string;
  readonly truncated: boolean;
  readonly was: Place; // in a document of the file as the commit left it; of lines that it only took out, as before it
  readonly followed: boolean; // whether it is known what has come of the lines
  readonly now?: LinesNow | null; // null where none of the lines is left
}

/** From the first line that is left to the last. */
export interface LinesNow extends Place {
  readonly whole: boolean; // all are left, and nothing came in between
}

export interface Commit {
  readonly sha: string;
  readonly committed_at: number; // Unix seconds, UTC
  readonly author: string;
  readonly subject: string;
  readonly files: readonly string[]; // URIs
  readonly hunks: readonly Hunk[];
  readonly hunks_total: number;
  readonly kind?: string; // "fix", "feature", …
  readonly release?: string;
  readonly reverted_by?: string;
  readonly branch?: string; // one that has it, where HEAD does not reach it
  readonly document?: string; // URI of its page
}

export type Filters = { readonly [name: string]: unknown };

export interface HistoryAnswer {
  readonly filters: Filters;
  readonly words?: string; // what is left of the question
  readonly notes?: readonly string[]; // what could not be understood, fit to show
  readonly commits: readonly Commit[];
}

export interface Worker {
  readonly state: 'indexing' | 'idle' | 'paused' | 'on_battery' | 'root_missing' | 'failed';
  readonly stage?: string;
  readonly done?: number;
  readonly total?: number;
  readonly watching?: string;
  readonly watching_reason?: string;
  readonly failure?: string;
}

type Counts = Readonly<Record<string, number>>;

/** Without counts where it is not indexed yet. */
export interface FolderStatus {
  readonly name: string;
  readonly uri: string;
  readonly outside: boolean;
  readonly indexed: boolean;
  readonly worker: Worker | null;
  readonly files?: number;
  readonly languages?: Counts;
  readonly pending?: number;
  readonly passages?: Counts;
  readonly commits?: number;
  readonly share_embedded?: Counts;
  readonly failed?: number;
  readonly skipped?: Counts;
  readonly bytes?: number;
  readonly warnings?: readonly string[];
}

/** Of one folder, as the command `postil.server.status` tells it. */
export interface Doing {
  readonly name: string;
  readonly uri: string;
  readonly worker: Worker | null;
  readonly held: string; // why it is not indexed before the user says so; empty where it is
}

/** Prompts that went to other machines, as the log knows. Times are in ISO 8601. */
export interface Sent {
  readonly since: string | null;
  readonly endpoints: readonly { readonly endpoint: string; readonly prompts: number; readonly tokens: number; readonly masked: number; readonly last_at: string }[];
}

export interface Status {
  readonly folders: readonly FolderStatus[];
  readonly log: string;
  readonly sent?: Sent;
}

/** A model that the settings name; `problem` and `hint` where it is missing. */
export interface ChosenModel {
  readonly provider: string;
  readonly name: string;
  readonly endpoint: string;
  readonly local: boolean;
  readonly state: 'ready' | 'none' | 'missing';
  readonly problem: string;
  readonly hint: string;
}

export interface SetModels {
  readonly language: ChosenModel;
  readonly prose: ChosenModel;
}

export interface ModelServer {
  readonly provider: string;
  readonly endpoint: string;
  readonly local: boolean;
  readonly models: readonly { readonly name: string; readonly megabytes: number; readonly parameters: string; readonly embeds: boolean }[];
  readonly problem: string;
  readonly hint: string;
}

export interface EmbeddingModel {
  readonly setting: string;
  readonly megabytes: number;
  readonly dimensions: number | null;
  readonly languages: string;
  readonly here: boolean | null; // null: only its server knows
  readonly recommended: boolean;
  readonly passages_per_second: number | null;
}

export interface Models extends SetModels {
  readonly servers: readonly ModelServer[];
  readonly embedding: readonly EmbeddingModel[];
  readonly folders: readonly { readonly name: string; readonly serving: string | null; readonly coming: string | null; readonly share: number }[];
  readonly not_latin: number; // share of passages
}

export interface Mention extends Place {
  readonly name: string;
  readonly title: string;
  readonly snippet: string;
}

export type { Position, Range };
