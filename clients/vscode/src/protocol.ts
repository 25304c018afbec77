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

export interface Hunk extends Place {
  readonly symbol: string;
  readonly text: string;
  readonly truncated: boolean;
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

export interface FolderStatus {
  readonly name: string;
  readonly uri: string;
  readonly indexed: boolean;
  readonly worker: Worker | null;
  readonly [more: string]: unknown;
}

export interface Status {
  readonly folders: readonly FolderStatus[];
  readonly [more: string]: unknown;
}

export type { Position, Range };
