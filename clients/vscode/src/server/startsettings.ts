// Settings that a server gets at its start and does not ask for anew: where they have changed it starts again, once for all that
// change together.

import * as vscode from 'vscode';

const REST_MS = 500; // people change one after the other

export class StartSettings implements vscode.Disposable {
  private taken = ''; // by the server of now
  private writing = 0; // sets of settings that are being written
  private rest: NodeJS.Timeout | undefined;
  private readonly listening: vscode.Disposable;

  constructor(private readonly read: () => unknown, private readonly startAgain: () => Promise<void>) {
    this.listening = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('postil')) {
        clearTimeout(this.rest);
        this.rest = setTimeout(() => void this.look(), REST_MS);
      }
    });
  }

  /** A server starts with them as they are now. */
  take(): void {
    this.taken = JSON.stringify(this.read());
  }

  /** Write several as one change; settled when the server runs with them. */
  async together(write: () => Promise<void>): Promise<void> {
    this.writing += 1;
    try {
      await write();
    } finally {
      this.writing -= 1;
      await this.look();
    }
  }

  private async look(): Promise<void> {
    if (!this.writing && JSON.stringify(this.read()) !== this.taken) {
      this.take(); // by the one that starts now: the old one may take a while to end
      await this.startAgain();
    }
  }

  dispose(): void {
    clearTimeout(this.rest);
    this.listening.dispose();
  }
}
