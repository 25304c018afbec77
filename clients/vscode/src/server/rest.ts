// What the editor asks by itself waits until nobody has typed for a moment: a key costs its change and no more.

import type { Middleware } from 'vscode-languageclient/node';
import * as vscode from 'vscode';

const REST_MS = 250;

/** What has links and tags to complete; of code nothing is asked, whatever a language's own completion does with each key. */
export const NOTES: vscode.DocumentSelector = [
  ...['markdown', 'plaintext', 'restructuredtext'].map((language) => ({ language })),
  { pattern: '**/*.{md,mdx,markdown,qmd,rmd,rst,txt,text}' },
];

/** When documents were changed last, as the server was told. */
export class Rest {
  private readonly changedAt = new Map<string, number>(); // by URI; milliseconds of a clock that never jumps

  /** Settled when the document has been left alone for a moment, or nobody waits any more. */
  private async over({ uri }: vscode.TextDocument, token: vscode.CancellationToken): Promise<void> {
    for (;;) {
      const left = (this.changedAt.get(uri.toString()) ?? -Infinity) + REST_MS - performance.now();
      if (left <= 0 || token.isCancellationRequested) {
        return;
      }
      await new Promise((done) => setTimeout(done, Math.ceil(left)));
    }
  }

  private async after<T>(document: vscode.TextDocument, token: vscode.CancellationToken, ask: () => vscode.ProviderResult<T>): Promise<T | null | undefined> {
    await this.over(document, token);
    return token.isCancellationRequested ? undefined : ask();
  }

  readonly middleware: Middleware = {
    didChange: async (event, next) => {
      const changed = () => this.changedAt.set(event.document.uri.toString(), performance.now());
      changed();
      await next(event);
      changed(); // it is sent now, and what was asked for meanwhile waits from here on
    },
    didClose: async (document, next) => {
      this.changedAt.delete(document.uri.toString());
      await next(document);
    },
    provideCodeLenses: (document, token, next) => this.after(document, token, () => next(document, token)),
    provideDocumentSymbols: (document, token, next) => this.after(document, token, () => next(document, token)),
    provideCodeActions: (document, range, context, token, next) => {
      const ask = () => next(document, range, context, token);
      return context.triggerKind === vscode.CodeActionTriggerKind.Invoke ? ask() : this.after(document, token, ask);
    },
    provideCompletionItem: (document, position, context, token, next) =>
      vscode.languages.match(NOTES, document) ? next(document, position, context, token) : undefined,
  };
}
