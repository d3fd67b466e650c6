import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { find } from './components';

const STOP_TIMEOUT_MS = 15_000;

/** Programs that a test starts and stops. What each prints is in a file. */
export class BackgroundPrograms {
  private readonly started: ChildProcess[] = [];

  /** @param directory of the files with what they print */
  constructor(
    private readonly directory: string,
    private readonly environment: () => NodeJS.ProcessEnv = () => process.env,
  ) {}

  /**
   * In its own process group, so that an interrupt of the tests does not reach it before `stop`.
   * @param program a path, or the name of an installed one
   * @param name of its file
   */
  launch(program: string, args: readonly string[], name = program): ChildProcess {
    const log = openSync(this.logOf(name), 'a');
    const daemon = spawn(find(program) ?? program, args, {
      env: this.environment(),
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    daemon.on('error', () => undefined);
    this.started.push(daemon);
    return daemon;
  }

  get count(): number {
    return this.started.length;
  }

  /** What it printed last, for failures. */
  endOfLog(name: string, characters = 2_000): string {
    try {
      return readFileSync(this.logOf(name), 'utf8').slice(-characters);
    } catch {
      return '';
    }
  }

  /** In the reverse order of their start. */
  async stop(): Promise<void> {
    for (const daemon of this.started.splice(0).reverse()) await stopDaemon(daemon);
  }

  private logOf(name: string): string {
    return `${this.directory}/${name}.out`;
  }
}

/** Kills it if it does not end by itself. */
export async function stopDaemon(daemon: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (daemon.exitCode !== null || daemon.signalCode !== null || daemon.pid === undefined) resolve();
    else daemon.once('exit', () => resolve());
  });
  daemon.kill('SIGTERM');
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  daemon.kill('SIGKILL');
  await ended;
}
