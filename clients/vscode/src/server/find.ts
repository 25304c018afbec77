// Where the server is: by the user's setting, in its own environment, on PATH. Never from inside an open folder, unless
// the user's own setting names it: what lies in a workspace was written by whoever wrote the workspace.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { Problem } from './problems';

export interface Places {
  /** The user's setting: absolute, or from the home folder on. */
  readonly setting: string;
  /** The extension's own storage. */
  readonly storage: string;
  readonly searchPath: string | undefined;
  readonly workspaceFolders: readonly string[];
  readonly windows: boolean;
}

export interface Found {
  readonly command: string;
  readonly from: 'setting' | 'own' | 'path';
}

export function findServer(places: Places): Found | Problem {
  if (places.setting.trim()) {
    const command = fromHome(places.setting.trim());
    if (!path.isAbsolute(command)) {
      return { code: 'path_relative', detail: places.setting };
    }
    return isProgram(command) ? { command, from: 'setting' } : { code: 'path_missing', detail: command };
  }
  const own = ownEnvironment(places.storage);
  if (own && isProgram(own.command)) {
    return { command: own.command, from: 'own' };
  }
  const [found] = onPath(['postil'], places);
  return found ? { command: found, from: 'path' } : { code: 'not_found', detail: '' };
}

export interface OwnEnvironment {
  readonly folder: string;
  readonly command: string;
  readonly version: string;
}

/** Written last when an environment is made, so that half of one is never taken for one. */
export const OWN = 'environment.json';

export function ownEnvironment(storage: string): OwnEnvironment | undefined {
  try {
    const read: unknown = JSON.parse(fs.readFileSync(path.join(storage, OWN), 'utf8'));
    return isOwn(read) && isInside(read.command, storage) ? read : undefined;
  } catch {
    return undefined; // there is none yet, or it was cut short: it is made anew
  }
}

function isOwn(read: unknown): read is OwnEnvironment {
  const own = read as Partial<OwnEnvironment> | null;
  return typeof own?.command === 'string' && typeof own.folder === 'string' && typeof own.version === 'string';
}

/** Programs of these names on PATH, in the order of the names; only from absolute entries outside of all open folders. */
export function onPath(names: readonly string[], places: Pick<Places, 'searchPath' | 'workspaceFolders' | 'windows'>): string[] {
  const folders = (places.searchPath ?? '')
    .split(places.windows ? ';' : ':')
    .map((entry) => entry.replace(/^"(.*)"$/, '$1'))
    .filter((entry) => path.isAbsolute(entry) && !places.workspaceFolders.some((root) => isInside(entry, root)));
  const spelled = names.map((name) => (places.windows ? `${name}.exe` : name)); // a .cmd would need a shell
  return spelled.flatMap((name) => folders.map((folder) => path.join(folder, name))).filter(isProgram);
}

export function isInside(inner: string, outer: string): boolean {
  const between = path.relative(real(outer), real(inner));
  return between === '' || (!between.startsWith('..') && !path.isAbsolute(between));
}

function real(where: string): string {
  try {
    return fs.realpathSync(where);
  } catch {
    return path.resolve(where);
  }
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

export function fromHome(given: string): string {
  return /^~[/\\]/.test(given) ? path.join(os.homedir(), given.slice(2)) : given;
}
