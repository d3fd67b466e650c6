import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentFailure } from '../failures';

/** Slurm does not answer: the same question may get an answer later. */
export class SlurmUnavailable extends Error {}

/** Of the largest answer, that of squeue: some 5 KB for each job. */
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TIME_LIMIT_MS = 60_000;
const MAX_ERROR_TEXT = 1_000;
/** A controller of Slurm that is replaced by its backup needs some time. */
const ATTEMPTS = 5;
const PAUSE_MS = 2_000;

/** What Slurm's programs print when slurmctld is down or too busy, waits for slurmdbd, or munged restarts. */
const UNAVAILABLE =
  /authentication error|munge encode failed|unable to contact slurm controller|timed out|zero bytes were transmitted|connection (refused|reset)|communication|could not establish a configuration|in standby|not responding|db index is being set/i;

/** This machine could not start the program now. */
const NO_PROCESS: readonly unknown[] = ['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE'];

/** What the agent must not pass on to other machines. */
const SECRETS = ['CCP_TOKEN', 'CCP_TOKEN_FILE'];

/** The environment of Slurm's programs. Times in text are seconds since the epoch. */
export function slurmEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const passed = { ...env, SLURM_TIME_FORMAT: '%s' };
  for (const secret of SECRETS) delete (passed as NodeJS.ProcessEnv)[secret];
  return passed;
}

/**
 * Runs one of Slurm's programs.
 * @param input what it reads
 * @returns what it printed. Throws `SlurmUnavailable`, or `AgentFailure` if Slurm refused
 */
export function runSlurm(program: string, args: readonly string[], signal?: AbortSignal, input = ''): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const options = { env: slurmEnvironment(), maxBuffer: MAX_OUTPUT_BYTES, timeout: TIME_LIMIT_MS, signal };
  const child = execFile(program, args, options, (error, stdout, stderr) => {
    if (!error) return resolve(stdout);
    if (signal?.aborted) return reject(signal.reason as Error);
    const { code, killed, signal: endedBy } = error;
    const text = stderr.trim().slice(-MAX_ERROR_TEXT);
    if (code === 'ENOENT')
      return reject(
        new AgentFailure({
          cause: 'scheduler_refused',
          message: `Slurm's program ${program} was not found.`,
          remedy: "Install Slurm's commands, and put them into PATH.",
        }),
      );
    if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
      return reject(new SlurmUnavailable(`${program} printed more than ${MAX_OUTPUT_BYTES} bytes.`));
    // One that a signal ended did not answer.
    const isCut = killed === true || typeof endedBy === 'string' || NO_PROCESS.includes(code);
    if (isCut || UNAVAILABLE.test(text)) return reject(new SlurmUnavailable(`${program}: ${text || 'no answer'}`));
    reject(
      new AgentFailure(
        { cause: 'scheduler_refused', message: `Slurm refused ${program} ${args[0]}: ${text || String(code)}` },
        { cause: error },
      ),
    );
  });
  // One that has ended does not read.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return promise;
}

/** For a process of a job: it cannot go on without the answer. */
export async function runSlurmPatiently(program: string, args: readonly string[]): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runSlurm(program, args);
    } catch (error) {
      if (!(error instanceof SlurmUnavailable) || attempt === ATTEMPTS) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/**
 * A document that Slurm printed as JSON. Throws `SlurmUnavailable` if it reports errors, or is no JSON:
 * a broken answer must not look like an empty cluster.
 */
export function documentOf(program: string, text: string): Readonly<Record<string, unknown>> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new SlurmUnavailable(`${program} printed no JSON.`, { cause: error });
  }
  if (typeof document !== 'object' || document === null) throw new SlurmUnavailable(`${program} printed no object.`);
  const { errors } = document as { errors?: unknown };
  if (Array.isArray(errors) && errors.length > 0)
    throw new SlurmUnavailable(`${program} reports ${JSON.stringify(errors).slice(0, MAX_ERROR_TEXT)}`);
  return document as Readonly<Record<string, unknown>>;
}
