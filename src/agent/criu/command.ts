import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Stream } from 'node:stream';

/** Between the end of a program and that of its output. */
const OUTPUT_WITHIN_MS = 5_000;

/** For people, who look at the end. */
const OUTPUT_CHARACTERS = 64 * 1024;

/** Where programs of root are, beside PATH: `sudo` and services may leave them out. */
export const PROGRAM_DIRECTORIES: readonly string[] = [
  '/usr/local/sbin',
  '/usr/sbin',
  '/sbin',
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
];

export interface CommandOptions {
  readonly timeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** All of the environment that the program gets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Open files that the program gets, as its descriptors 3, 4, … */
  readonly files?: readonly (number | Stream)[] | undefined;
  /** Processes that it leaves behind may have its output open. */
  readonly leavesProcesses?: boolean | undefined;
  /** The end of what it prints that is kept. */
  readonly keptCharacters?: number | undefined;
}

export interface CommandResult {
  /** null: a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was killed; undefined if it ended by itself. */
  readonly killed?: 'aborted' | 'timed_out' | undefined;
  /** Its standard output and standard error, as far as they are kept. */
  readonly output: string;
  readonly durationNs: number;
}

/**
 * Runs a program without a shell, in a process group of its own. Aborted or too slow, the whole group is
 * killed.
 * @throws the error of `spawn` if the program cannot be started
 */
export function runCommand(program: string, args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { promise, resolve: done, reject } = Promise.withResolvers<CommandResult>();
  const startedAt = performance.now();
  const child = spawn(program, args, {
    detached: true,
    env: options.environment,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.files ?? [])],
  });

  const { keptCharacters = OUTPUT_CHARACTERS } = options;
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptCharacters);
    });

  let killed: CommandResult['killed'];
  const kill = (why: 'aborted' | 'timed_out'): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    killed ??= why;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  };
  const timer = setTimeout(() => kill('timed_out'), options.timeLimitMs);
  const onAbort = (): void => kill('aborted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();

  const release = (): void => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
  };
  child.once('error', (error) => {
    release();
    reject(error);
  });
  child.once('exit', (exitCode, signal) => {
    release();
    const durationNs = Math.round((performance.now() - startedAt) * 1e6);
    const end = () => done({ exitCode, signal, killed, output, durationNs });
    child.once('close', end);
    // A restored process may hold the pipes as long as it lives, so 'close' need not come. What the program
    // printed itself is in the pipes by now.
    if (options.leavesProcesses) setImmediate(() => setImmediate(end));
    else setTimeout(end, OUTPUT_WITHIN_MS).unref();
  });
  return promise;
}

/**
 * @param name of a program, or its path
 * @param directories where it may be; default: PATH, and those of the system
 * @returns its absolute path; undefined if it is not there
 */
export async function findProgram(name: string, directories = programDirectories()): Promise<string | undefined> {
  const files = name.includes('/') ? [resolve(name)] : directories.map((directory) => resolve(directory, name));
  for (const file of files)
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Look further.
    }
  return undefined;
}

const programDirectories = (): readonly string[] => [
  ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
  ...PROGRAM_DIRECTORIES,
];

/** A program that CRIU starts: it looks for it in the PATH that the agent gives it. */
export const findProgramOfCriu = (name: string): Promise<string | undefined> => findProgram(name, PROGRAM_DIRECTORIES);
