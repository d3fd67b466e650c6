import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import type { ControllerContext, ControllerKind } from '../../controllers/common/cluster-context';
import { AgentFailure } from '../../failures';
import { storeOf } from '../../store/stores';
import { FileLock } from '../../supervisor/state/file-lock';
import type { Context } from '../context';
import { EXIT } from '../output/exit-codes';
import { makePrivateDirectories } from '../private-directories';
import { failureOf } from './service-failures';

const STANDARD_ERROR = 2;
const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'];

/** Runs a controller until a signal ends it. */
export async function runController(
  context: Context,
  kind: ControllerKind,
  logLevel: string,
  run: (context: ControllerContext) => Promise<void>,
): Promise<void> {
  const { settings, output } = context;
  if (!LEVELS.includes(logLevel)) throw usage(`The level of the log is one of ${LEVELS.join(', ')}.`);
  const destination = pino.destination({ dest: STANDARD_ERROR, sync: true });
  // A full disk costs lines of the log, not the agent.
  destination.on('error', () => {});
  const log = pino({ level: logLevel, base: null }, destination);
  makePrivateDirectories(settings);
  const lock = await claim(settings.stateDir, kind);
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('The agent stops.'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  try {
    const say = (line: string) =>
      void output.out.write(output.json ? `${JSON.stringify({ message: line })}\n` : `${line}\n`);
    await run({ settings, store: await storeOf(settings), signal: stop.signal, log, say });
    context.exit(EXIT.done);
  } catch (error) {
    if (stop.signal.aborted) return context.exit(EXIT.done);
    throw failureOf(error, settings);
  } finally {
    lock.release();
    // A checkpoint that is under way holds a connection to its supervisor, which continues without it.
    if (stop.signal.aborted) process.exit(EXIT.done);
  }
}

/** What `--profiles` names. @returns undefined for all */
export function profilesOf(workers: boolean | undefined, profiles: string | undefined): string[] | undefined {
  if (profiles !== undefined && !workers) throw usage('--profiles needs --workers.');
  return profiles?.split(',').map((id) => id.trim());
}

/** Two controllers of one state directory would both act on a request. */
async function claim(stateDir: string, kind: ControllerKind): Promise<FileLock> {
  const directory = join(stateDir, kind);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = await FileLock.take(join(directory, 'lock'));
  if (lock) return lock;
  throw new AgentFailure({
    cause: 'name_taken',
    message: `Another ${kind} agent runs with the state directory ${stateDir}.`,
    remedy: 'Choose another one with --state-dir, or end that agent.',
  });
}

const usage = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
