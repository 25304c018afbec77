// The extension's private Python environment, made from the wheel inside the extension by uv, or else by venv and pip.

import * as fs from 'node:fs';
import * as path from 'node:path';
import { fromHome, onPath, OWN, OwnEnvironment, ownEnvironment, Places } from './find';
import { ProblemError, problemOf } from './problems';
import { Run, run, RunOptions } from './run';

export const OLDEST = [3, 11] as const;
// newest first among what is common; `py` is the launcher of Windows, which knows what PATH doesn't
const PYTHONS = ['python3.13', 'python3.12', 'python3.11', 'python3', 'python', 'py'];
const EXTRAS = '[ollama,openai]'; // the clients of language models are small, and a button can't ask for them later

export interface Making extends Places {
  /** The folder of the wheel. */
  readonly wheels: string;
  readonly version: string;
  /** The user's setting; empty to look on PATH. */
  readonly interpreter: string;
  /** The editor's proxy; empty for what the environment says. */
  readonly proxy: string;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Make the environment and return it. Raises ProblemError. */
export async function makeEnvironment(making: Making): Promise<OwnEnvironment> {
  const wheel = wheelIn(making.wheels);
  fs.mkdirSync(making.storage, { recursive: true });
  const folder = path.join(making.storage, `environment-${making.version}-${Date.now().toString(36)}`);
  const old = ownEnvironment(making.storage);
  try {
    const [uv] = making.interpreter.trim() ? [] : onPath(['uv'], making);
    if (!uv || !(await withUv(uv, folder, wheel, making))) {
      await withPip(await python(making), folder, wheel, making);
    }
    const own = { folder, command: programOf(folder, making.windows, 'postil'), version: making.version };
    fs.writeFileSync(path.join(making.storage, OWN), JSON.stringify(own));
    remove(old?.folder, making.storage);
    return own;
  } catch (error) {
    remove(folder, making.storage);
    throw making.signal.aborted ? new ProblemError({ code: 'cancelled', detail: '' }) : error;
  }
}

/** The one wheel in a folder. Raises ProblemError. */
export function wheelIn(folder: string): string {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.whl')) : [];
  if (!names[0]) {
    throw new ProblemError({ code: 'no_wheel', detail: folder });
  }
  return path.join(folder, names[0]);
}

/** Whether uv has a Python that is new enough: where it may not fetch one, what is on PATH says more than it does. */
async function withUv(uv: string, folder: string, wheel: string, making: Making): Promise<boolean> {
  try {
    await step(uv, ['venv', '--no-config', '--python', `>=${OLDEST.join('.')}`, folder], making);
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'python_old') {
      return false;
    }
    throw error;
  }
  const python = programOf(folder, making.windows, 'python');
  await step(uv, ['pip', 'install', '--no-config', '--python', python, `postil${EXTRAS} @ ${fileUrl(wheel)}`], making);
  return true;
}

async function withPip(interpreter: string, folder: string, wheel: string, making: Making): Promise<void> {
  await step(interpreter, ['-I', '-m', 'venv', folder], making); // -I: no PYTHONPATH, nothing from the current folder
  const python = programOf(folder, making.windows, 'python');
  // compiling every file of every package takes as long as all else; what is used is compiled when it is
  const pip = ['-I', '-m', 'pip', '--disable-pip-version-check', '--no-input', 'install', '--no-compile', '--progress-bar', 'off'];
  await step(python, [...pip, `postil${EXTRAS} @ ${fileUrl(wheel)}`], making);
}

async function step(command: string, args: readonly string[], making: Making): Promise<void> {
  const done = await run(command, args, options(making, making.report));
  if (done.status !== 0) {
    throw new ProblemError(problemOf(done.output));
  }
}

function options(making: Making, line?: (line: string) => void): RunOptions {
  const given = process.env;
  const proxied = making.proxy && !given['HTTPS_PROXY'] && !given['https_proxy'];
  return {
    folder: making.storage, // never an open folder: a file there must not be imported or read as configuration
    environment: proxied ? { ...given, HTTPS_PROXY: making.proxy, HTTP_PROXY: making.proxy } : given,
    ...(line && { line }),
    signal: making.signal,
  };
}

const ASK = 'import sys; print("postil-python", sys.version_info[0], sys.version_info[1]); import venv, ensurepip';

/** An interpreter that is new enough. Raises ProblemError with what is wrong with the best that there is. */
export async function python(making: Making): Promise<string> {
  const setting = making.interpreter.trim();
  if (setting && !path.isAbsolute(fromHome(setting))) {
    throw new ProblemError({ code: 'path_relative', detail: setting });
  }
  const candidates = setting ? [fromHome(setting)] : onPath(PYTHONS, making);
  let wrong = new ProblemError({ code: 'python_missing', detail: '' });
  for (const candidate of candidates) {
    const problem = judged(await run(candidate, ['-I', '-c', ASK], options(making)), candidate, Boolean(setting));
    if (!problem) {
      return candidate;
    }
    // a Python that lacks a module says more than one that is too old, and that more than a stub
    wrong = weight(problem) > weight(wrong) ? problem : wrong;
  }
  throw wrong;
}

function judged(asked: Run, candidate: string, chosen: boolean): ProblemError | undefined {
  const version = /postil-python (\d+) (\d+)/.exec(asked.output);
  if (!version) {
    const problem = problemOf(asked.output);
    const stub = problem.code === 'store_stub' || asked.status === 9009 || /[\\/]WindowsApps[\\/]/.test(candidate);
    return new ProblemError(stub ? { code: 'store_stub', detail: candidate } : { code: chosen ? 'interpreter_wrong' : 'python_missing', detail: candidate });
  }
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    return new ProblemError({ code: 'python_old', detail: `${candidate} (${major}.${minor})` });
  }
  return asked.status === 0 ? undefined : new ProblemError({ code: 'venv_missing', detail: `${major}.${minor}` });
}

function weight(error: ProblemError): number {
  return ['python_missing', 'store_stub', 'interpreter_wrong', 'python_old', 'venv_missing'].indexOf(error.problem.code);
}

function programOf(folder: string, windows: boolean, name: string): string {
  return windows ? path.join(folder, 'Scripts', `${name}.exe`) : path.join(folder, 'bin', name);
}

function fileUrl(file: string): string {
  return `file://${file.startsWith('/') ? '' : '/'}${file.split(path.sep).map(encodeURIComponent).join('/').replace('%3A', ':')}`;
}

/** Only what is ours: a folder in our own storage. */
function remove(folder: string | undefined, storage: string): void {
  if (folder && path.dirname(folder) === storage) {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
