// The models that are set, in words.

import * as vscode from 'vscode';
import type { ChosenModel } from '../protocol';

export function nameOf({ provider, name }: ChosenModel): string {
  return provider ? `${provider}: ${name}` : name;
}

export function modelWords(model: ChosenModel): string {
  switch (model.state) {
    case 'none':
      return vscode.l10n.t('None is set: answers are extracts of your own texts.');
    case 'missing':
      return vscode.l10n.t('{0} can\'t be used, so answers are extracts: {1}', nameOf(model), trouble(model));
    case 'ready':
      return model.local ? nameOf(model) : vscode.l10n.t('{0}, on another machine: {1}', nameOf(model), model.endpoint);
  }
}

export function proseWords(model: ChosenModel): string {
  switch (model.state) {
    case 'none':
      return vscode.l10n.t('None is set: notes are found by words and by the static table.');
    case 'missing':
      return vscode.l10n.t('{0} can\'t be used, so notes are found by words and by the static table: {1}', model.name, trouble(model));
    case 'ready':
      return model.local ? model.name : vscode.l10n.t('{0}, on another machine: {1}', model.name, model.endpoint);
  }
}

/** The server's own words, with what to do. */
export function trouble({ problem, hint }: ChosenModel): string {
  return [problem, hint].filter(Boolean).join('; ');
}
