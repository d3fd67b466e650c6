import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../support/free-ports';
import { residentMib } from '../../support/resident';
import type { BenchCase } from '../bench';
import { START_ARGUMENTS, START_VARIABLES } from '../npm-start';

const PROJECT = join(__dirname, '../../..');
const MOST_MS = 800;
const MOST_MEGABYTES = 120;
/** Nobody asks anything meanwhile; sweeps run. */
const PAUSE_MS = 15_000;
const ASKED_EVERY_MS = 5;
const STARTED_WITHIN_MS = 120_000;

export interface Launched {
  readonly child: ChildProcess;
  /** From the start of the command to the first 200 of readiness. */
  readonly milliseconds: number;
  stop(): Promise<void>;
}

/**
 * Starts the service on a free port, in a process group of its own, as a terminal does.
 * @param variables of the whole environment, beside the port
 */
export async function launch(
  [program = '', ...args]: readonly string[],
  cwd: string,
  variables: NodeJS.ProcessEnv,
  log: string,
): Promise<Launched> {
  const [port = 0] = await freePorts(1);
  const output = openSync(log, 'a');
  const env = { ...variables, PORT: String(port) };
  const began = performance.now();
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const stop = async (): Promise<void> => {
    if (hasEnded()) return;
    const ended = once(child, 'exit');
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await ended;
  };
  while (performance.now() - began < STARTED_WITHIN_MS && !hasEnded()) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (ready?.status === 200) return { child, milliseconds: performance.now() - began, stop };
    await sleep(ASKED_EVERY_MS);
  }
  await stop();
  throw new Error(`${program} ${args.join(' ')} did not become ready: ${log}`);
}

/** Without what this process has from the `npm run` that started it. */
export function ordinaryEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(npm_|INIT_CWD$|DATABASE_URL$|BOOTSTRAP_TOKEN$|DATA_DIR$|NODE_OPTIONS$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return Object.fromEntries(kept);
}

export const start: BenchCase = {
  name: 'start',
  what: `P11: built, with an existing data directory: from the start to the first 200 of readiness; resident memory of the Node process after ${PAUSE_MS / 1_000} s without a request`,
  isElsewhere: true,
  prepare(bench) {
    const directory = join(bench.directory, 'start');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    const log = join(bench.directory, 'start.log');
    const variables = { ...ordinaryEnvironment(), DATA_DIR: directory };
    const commands = { node: [process.execPath, ...START_ARGUMENTS], 'npm start': ['npm', 'start'] };
    let running: Launched | undefined;
    const started = async (name: keyof typeof commands): Promise<number> => {
      const memory = name === 'node' ? START_VARIABLES : {};
      running = await launch(commands[name], PROJECT, { ...variables, ...memory }, log);
      return running.milliseconds;
    };
    const stop = async (): Promise<void> => {
      await running?.stop();
      running = undefined;
    };
    return {
      sides: [
        {
          name: 'npm start',
          async run() {
            // The first one makes the data directory.
            const milliseconds = await started('npm start');
            await stop();
            return milliseconds;
          },
        },
        { name: 'node, as npm start runs it', run: () => started('node') },
        {
          name: 'idle memory',
          unit: 'MB',
          async run(_round, isMeasured) {
            if (isMeasured) await sleep(PAUSE_MS);
            const megabytes = (residentMib(String(running?.child.pid)) * 2 ** 20) / 1e6;
            await stop();
            return megabytes;
          },
        },
      ],
      bounds: [
        { of: 'node, as npm start runs it', atMost: MOST_MS },
        { of: 'idle memory', atMost: MOST_MEGABYTES },
        { of: 'npm start', over: 'node, as npm start runs it' },
      ],
      notes: () => ['npm start also starts npm and a shell, and looks whether the build is newer than the sources'],
      close: stop,
    };
  },
};
