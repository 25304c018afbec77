// What can keep the server from being set up or started, told from what a program printed. Texts are in `said.ts`.

export type ProblemCode =
  | 'path_relative' | 'path_missing' | 'not_found' | 'no_wheel'
  | 'python_missing' | 'python_old' | 'store_stub' | 'interpreter_wrong' | 'venv_missing'
  | 'proxy' | 'certificate' | 'no_network' | 'no_package' | 'disk_full' | 'not_writable' | 'cancelled' | 'failed';

export interface Problem {
  readonly code: ProblemCode;
  /** What it is about: a path, a version, or the last lines that were printed. */
  readonly detail: string;
}

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

const SIGNS: readonly (readonly [ProblemCode, RegExp])[] = [
  // the stub that Windows has in place of Python exits with 9009 and advertises the shop
  ['store_stub', /Microsoft Store|ms-windows-store|App execution aliases/i],
  ['venv_missing', /ensurepip is not available|No module named '?(venv|ensurepip)|python3[\d.]*-venv/i],
  ['disk_full', /No space left on device|ENOSPC|os error 28|not enough space on the disk/i],
  ['not_writable', /Permission denied|EACCES|EPERM|Read-only file system|Access is denied/i],
  ['proxy', /ProxyError|Cannot connect to proxy|407 Proxy|Proxy Authentication Required|tunnel error|proxy connect/i],
  ['certificate', /CERTIFICATE_VERIFY_FAILED|SSLCertVerification|invalid peer certificate|self[- ]signed certificate|UnknownIssuer/i],
  [
    'no_network',
    /NewConnectionError|Temporary failure in name resolution|Name or service not known|getaddrinfo|Network is unreachable|Connection refused|ConnectTimeout|timed out|dns error|error sending request|Failed to fetch|Could not connect/i,
  ],
  ['python_old', /requires a different Python|requires-python|does not satisfy Python|No interpreter found for Python/i],
  ['no_package', /No matching distribution found|No solution found|Could not find a version/i],
];

/** What the output of a program that failed tells of the reason. */
export function problemOf(output: string): Problem {
  const found = SIGNS.find(([, sign]) => sign.test(output));
  return { code: found?.[0] ?? 'failed', detail: lastLines(output) };
}

const LINES = 4; // the reason stands at the end, above it the steps that went well

function lastLines(output: string): string {
  return output.trim().split(/\r?\n/).filter((line) => line.trim()).slice(-LINES).join('\n');
}
