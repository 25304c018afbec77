// The answers that were given in this workspace: one of them, shown again.

import * as vscode from 'vscode';
import { plain } from '../search';
import type { Session } from '../server/session';
import type { Asking } from './asking';
import type { Answer } from './state';

const MOST = 100;

interface Past {
  readonly kind: 'ask' | 'summarise';
  readonly question: string;
  readonly answered_at: number; // Unix seconds, UTC
  readonly answer: Answer;
}

export async function pastAnswers(session: Session, asking: Asking): Promise<void> {
  const { answers } = await session.request<{ answers: readonly Past[] }>('postil/past', { limit: MOST, kind: 'any' });
  const items = answers.map((past) => ({
    label: plain(titleOf(past)),
    description: new Date(past.answered_at * 1000).toLocaleString(vscode.env.language),
    detail: plain(past.answer.text.replace(/\s+/g, ' ')),
    past,
  }));
  const placeHolder = items.length ? vscode.l10n.t('Answers of this workspace, the newest first') : vscode.l10n.t('Nothing was asked here yet');
  const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true });
  if (chosen) {
    asking.showPast(titleOf(chosen.past), chosen.past.answer);
  }
}

function titleOf({ kind, question }: Past): string {
  return kind === 'summarise' ? vscode.l10n.t('Summary of {0}', question) : question;
}
