// What the panel's page and the extension say to each other.

import type { Turn } from './state';
import type { Words } from './render';

export interface Strings extends Words {
  readonly sources: string;
  readonly nearest: string;
  readonly cut: string;
  readonly stale: string;
  readonly reading: string;
  readonly writing: string;
  readonly stopped: string;
  readonly ready: string; // with {0}, a number of sources
  readonly readyOne: string;
  readonly model: string; // with {0}
  readonly stop: string;
  readonly copy: string;
  readonly insert: string;
  readonly save: string;
  readonly good: string;
  readonly bad: string;
  readonly followUp: string;
  readonly ask: string;
  readonly past: string;
  readonly fresh: string;
  readonly empty: string;
}

/** A source as the page shows it: where it lies, in the words of the window. */
export interface Labels {
  readonly [key: string]: string; // of "s<number>" and "n<index>"
}

export type ToPage =
  | { readonly is: 'thread'; readonly turns: readonly Turn[]; readonly labels: readonly Labels[] }
  | { readonly is: 'focus' };

export type FromPage =
  | { readonly is: 'ready' | 'stop' | 'past' | 'fresh' }
  | { readonly is: 'source' | 'nearest'; readonly turn: string; readonly number: number }
  | { readonly is: 'copy' | 'insert' | 'save' | 'good' | 'bad'; readonly turn: string }
  | { readonly is: 'ask'; readonly question: string };

const PLAIN = new Set(['ready', 'stop', 'past', 'fresh']);
const OF_A_TURN = new Set(['copy', 'insert', 'save', 'good', 'bad']);

/** A page's message, where it is one: nothing else is acted on. */
export function checked(message: unknown): FromPage | undefined {
  if (typeof message !== 'object' || message === null) {
    return undefined;
  }
  const { is, turn, number, question } = message as Record<string, unknown>;
  if (typeof is !== 'string') {
    return undefined;
  }
  const fits =
    PLAIN.has(is) ||
    (OF_A_TURN.has(is) && typeof turn === 'string') ||
    ((is === 'source' || is === 'nearest') && typeof turn === 'string' && Number.isInteger(number)) ||
    (is === 'ask' && typeof question === 'string' && question.trim() !== '');
  return fits ? (message as FromPage) : undefined;
}
