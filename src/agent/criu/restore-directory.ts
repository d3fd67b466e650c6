import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { readProc, startOf } from '../processes/processes';

/** Into which CRIU writes the pid of the root, in its last step. */
export const PID_FILE = 'restored.pid';

const OWN = 'restore-';
/** No guard looks into older ones. */
const OWN_OLD_MS = 3_600_000;

/** Of the start of a process, as /proc shows it. */
const TICKS_PER_SECOND = 100;
/** The clock of the disk and that of the processes differ by less. */
const CLOCK_SECONDS = 1;

/** A new directory for one restore. Old ones of agents that were killed are removed. */
export async function ownDirectory(workDirectory: string): Promise<string> {
  await mkdir(workDirectory, { recursive: true });
  const made = await mkdtemp(join(resolve(workDirectory), OWN));
  const { mtimeMs: now } = await stat(made);
  for (const entry of await readdir(workDirectory, { withFileTypes: true })) {
    if (!entry.isDirectory() || !entry.name.startsWith(OWN)) continue;
    const path = join(workDirectory, entry.name);
    if (now - (await stat(path)).mtimeMs > OWN_OLD_MS) await rm(path, { recursive: true, force: true });
  }
  return made;
}

/**
 * The root of a tree that CRIU restored and nobody took over: who began the restore was killed, and its guard
 * too. CRIU has ended. @returns undefined if there is none
 */
export function leftByRestore(workDirectory: string, now: () => number = Date.now): number | undefined {
  // Nothing was restored here.
  if (!existsSync(workDirectory)) return undefined;
  return readdirSync(workDirectory)
    .filter((name) => name.startsWith(OWN))
    .map((name) => join(workDirectory, name, PID_FILE))
    .map((file) => rootIn(file, now))
    .find((pid) => pid !== undefined);
}

function rootIn(file: string, now: () => number): number | undefined {
  const written = statSync(file, { throwIfNoEntry: false });
  // CRIU did not get so far.
  if (!written) return undefined;
  const pid = Number(readFileSync(file, 'utf8'));
  const start = startOf(pid);
  if (start === undefined) return undefined;
  // One that is older than the file had this pid when CRIU wrote it, so it is no later one with the same pid.
  const seconds = uptime() - Number(start) / TICKS_PER_SECOND;
  const isIt = seconds + CLOCK_SECONDS >= (now() - written.mtimeMs) / 1_000;
  return isIt && isFirstOfNamespace(pid) ? pid : undefined;
}

const isFirstOfNamespace = (pid: number): boolean => /^NSpid:.*\s1$/m.test(readProc(`/proc/${pid}/status`) ?? '');
