// One program from its start to its end, without a shell.

import { spawn } from 'node:child_process';

const KEPT = 64 * 1024; // characters of output; what explains a failure stands at the end

export interface Run {
  readonly status: number;
  readonly output: string;
}

export interface RunOptions {
  readonly folder: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly line?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Never rejects: a program that can't be started has status -1 and the reason as its output. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Run> {
  return new Promise((resolve) => {
    let output = '';
    let rest = '';
    const child = spawn(command, args, {
      cwd: options.folder,
      env: options.environment ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
      ...(options.signal && { signal: options.signal }),
    });
    const take = (data: string) => {
      output = (output + data).slice(-KEPT);
      const lines = (rest + data).split(/\r?\n/);
      rest = lines.pop() ?? '';
      lines.filter((line) => line.trim()).forEach((line) => options.line?.(line));
    };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', take);
    }
    child.on('error', (error) => resolve({ status: -1, output: `${output}\n${error.message}` }));
    child.on('close', (status) => resolve({ status: status ?? -1, output }));
  });
}
