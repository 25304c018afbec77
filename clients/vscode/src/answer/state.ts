// An answer as it grows: what the server streams adds up to what it returns at the end.

import type { Hit, Place } from '../protocol';

export interface Citation extends Place {
  readonly number: number;
  readonly sha?: string;
  readonly stale?: boolean;
  readonly kind?: string;
  readonly title?: string; // of its document; of a commit its subject
  readonly name?: string; // heading path or qualified name
  readonly document?: string; // URI of a commit's page
}

export interface Sentence {
  readonly text: string;
  readonly citations: readonly number[];
  readonly support: 'supported' | 'weak' | 'not_found' | 'unchecked';
}

/** What postil/ask and postil/summarise return. */
export interface Answer {
  readonly id: string | null;
  readonly text: string;
  readonly model: string | null;
  readonly citations: readonly Citation[];
  readonly sentences: readonly Sentence[];
  readonly nearest: readonly Hit[];
  readonly finish: string;
}

/** postil/answer. */
export type AnswerEvent = { readonly stream: string; readonly seq: number } & (
  | { readonly kind: 'sources'; readonly citations: readonly Citation[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'sentence'; readonly sentence: Sentence }
  | { readonly kind: 'status'; readonly status: string }
  | { readonly kind: 'replace'; readonly text: string }
);

export interface Turn {
  readonly key: string; // of this window: the stream
  readonly title: string;
  readonly phase: 'running' | 'done' | 'stopped' | 'failed';
  readonly id: string | null;
  readonly text: string;
  readonly sources: readonly Citation[];
  readonly sentences: readonly Sentence[];
  readonly nearest: readonly Hit[];
  readonly model: string | null;
  readonly status: string;
  readonly finish: string;
  readonly verdict?: 'good' | 'bad';
}

export function begun(key: string, title: string): Turn {
  return { key, title, phase: 'running', id: null, text: '', sources: [], sentences: [], nearest: [], model: null, status: '', finish: '' };
}

export function grown(turn: Turn, event: AnswerEvent): Turn {
  switch (event.kind) {
    case 'sources':
      return { ...turn, sources: event.citations };
    case 'text':
      return { ...turn, text: turn.text + event.text, status: '' };
    case 'sentence':
      return { ...turn, sentences: [...turn.sentences, event.sentence] };
    case 'status':
      return { ...turn, status: event.status };
    case 'replace':
      return { ...turn, text: event.text, sentences: [] };
    default:
      return turn; // of a newer server
  }
}

export function ended(turn: Turn, answer: Answer): Turn {
  const { id, text, model, citations, sentences, nearest } = answer;
  const phase = answer.finish === 'cancelled' ? 'stopped' : 'done';
  return { ...turn, phase, id, text, model, sources: citations, sentences, nearest, finish: answer.finish, status: '' };
}

export function cut(turn: Turn, phase: 'stopped' | 'failed', status: string): Turn {
  return { ...turn, phase, status };
}
