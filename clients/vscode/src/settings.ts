// The editor's settings as the server takes them: what may come from a workspace apart from what only the user sets.

import type { Extension, WorkspaceConfiguration } from 'vscode';

export type Table = { [key: string]: unknown };

export interface Contributed {
  readonly key: string; // below "postil.", as in package.json
  readonly machine: boolean;
  readonly default: unknown;
}

/** Of the client alone; the server knows nothing of them. */
const CLIENT = /^(server|trace|related|notes)\./;
/** Where the editor's own Markdown support does it already, the default differs from the server's and is always said. */
export const EDITOR_HAS: readonly string[] = ['features.symbols', 'features.markdownLinks'];
/** Extensions with another server of notes, and what that does too: what the user did not set is left to it. */
export const OTHERS: readonly string[] = ['arr.marksman', 'FelixZeller.markdown-oxide'];
const OTHERS_HAVE: readonly string[] = [
  ...['completion', 'definition', 'references', 'rename', 'diagnostics'].map((name) => `features.${name}`), 'hover.links',
];

type Manifest = { contributes: { configuration: { properties: Record<string, { scope?: string; default: unknown }> }[] } };

export function contributed(extension: Extension<unknown>): Contributed[] {
  const manifest = extension.packageJSON as Manifest;
  return manifest.contributes.configuration
    .flatMap((group) => Object.entries(group.properties))
    .map(([key, property]) => ({ key: key.replace(/^postil\./, ''), machine: property.scope === 'machine', default: property.default }))
    .filter(({ key }) => !CLIENT.test(key));
}

/** Only what was set, so that the user's own file is not overruled by defaults. */
export function serverSettings(
  config: Pick<WorkspaceConfiguration, 'inspect'>, known: readonly Contributed[], beside: boolean,
): { settings: Table; userSettings: Table } {
  const settings: Table = {};
  const userSettings: Table = {};
  for (const { key, machine, default: fallback } of known) {
    const found = config.inspect(key);
    // the editor leaves a workspace's value of a machine setting out by itself; here it is not even looked at
    const set = machine ? found?.globalValue : (found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue);
    const left = beside && OTHERS_HAVE.includes(key) ? false : undefined;
    const value = set ?? (EDITOR_HAS.includes(key) ? fallback : left);
    if (value !== undefined) {
      put(machine ? userSettings : settings, key, value);
    }
  }
  return { settings, userSettings };
}

function put(table: Table, key: string, value: unknown): void {
  const names = key.split('.').map(snake);
  const last = names.pop()!;
  const inner = names.reduce<Table>((inside, name) => (inside[name] ??= {}) as Table, table);
  inner[last] = value;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
