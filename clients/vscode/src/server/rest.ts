// What the editor asks by itself waits until nobody has typed for a moment: a key costs its change and no more.

import type { Middleware } from 'vscode-languageclient/node';
import * as vscode from 'vscode';

const REST_MS = 250;

/** What has links and tags to complete; of code nothing is asked, whatever a language's own completion does with each key. */
export const NOTES: vscode.DocumentSelector = [
  ...['markdown', 'plaintext', 'restructuredtext'].map((language) => ({ language })),
  { pattern: '**/*.{md,mdx,markdown,qmd,rmd,rst,txt,text}' },
];

/** A link or a tag that is being written, in the line before the cursor. */
const OPENED = /[[(#][^\])]*$/;

/** When documents were changed last, as the server was told. */
export class Rest {
  private readonly changedAt = new Map<string, number>(); // by URI; milliseconds of a clock that never jumps

  /** Milliseconds; nothing is left where it is not above 0. */
  private left({ uri }: vscode.TextDocument): number {
    return (this.changedAt.get(uri.toString()) ?? -Infinity) + REST_MS - performance.now();
  }

  /** Settled when the document has been left alone for a moment, or nobody waits any more. */
  private async over(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<void> {
    for (;;) {
      const left = this.left(document);
      if (left <= 0 || token.isCancellationRequested) {
        return;
      }
      await new Promise((done) => setTimeout(done, Math.ceil(left)));
    }
  }

  private after<T>(document: vscode.TextDocument, token: vscode.CancellationToken, ask: () => vscode.ProviderResult<T>): vscode.ProviderResult<T> {
    return this.left(document) <= 0 ? ask() : this.over(document, token).then(() => (token.isCancellationRequested ? undefined : ask()));
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
    provideCompletionItem: (document, position, context, token, next) => {
      if (!vscode.languages.match(NOTES, document)) {
        return undefined;
      }
      const ask = () => next(document, position, context, token);
      const begun = context.triggerKind === vscode.CompletionTriggerKind.TriggerCharacter || OPENED.test(document.lineAt(position).text.slice(0, position.character));
      return begun ? ask() : this.after(document, token, ask); // the editor asks at each word of a plain text
    },
  };
}
