import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 50;
const RETRY_MS = 20;

/**
 * Reserves a data directory for this process. The file names the process and its start time, so the lock of a
 * killed process is recognised even if its id was reused.
 */
export class DataDirLock {
  private held = true;

  private constructor(private readonly file: string) {}

  /** @returns undefined while another live process holds the directory */
  static async acquire(directory: string): Promise<DataDirLock | undefined> {
    const file = join(directory, 'service.lock');
    // Written separately and linked, so that the lock appears with its content.
    const mine = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
    await writeFile(mine, (await identityOf(process.pid)) ?? String(process.pid), { mode: 0o600, flag: 'wx' });
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (await linked(mine, file)) return new DataDirLock(file);
        const holder = await stateOf(file);
        if (holder === 'live') return undefined;
        if (holder === 'dead') await removeStale(mine, file);
      }
      return undefined;
    } finally {
      await unlink(mine);
    }
  }

  /** Once: a second call must not remove another instance's lock. */
  async release(): Promise<void> {
    if (!this.held) return;
    this.held = false;
    await unlink(this.file).catch(() => undefined);
  }
}

/** @returns whether the file is now a link to this one; false if there was a file */
async function linked(mine: string, file: string): Promise<boolean> {
  try {
    await link(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Whether the process of a lock is alive. A lock that has disappeared belongs to nobody: the next one may
 * belong to a live process.
 */
async function stateOf(file: string): Promise<'live' | 'dead' | 'gone'> {
  const holder = await readFile(file, 'utf8').catch(() => undefined);
  if (holder === undefined) return 'gone';
  const pid = Number(holder.split(' ')[0]);
  return pid > 0 && (await identityOf(pid)) === holder ? 'live' : 'dead';
}

/**
 * Removes the lock of a killed process, one process at a time: between the check and the removal nobody may
 * replace it with a live one.
 */
async function removeStale(mine: string, file: string): Promise<void> {
  const removal = `${file}.removal`;
  if (await linked(mine, removal)) {
    // A dead lock stays in place until it is removed here, so the checked lock is the removed one.
    if ((await stateOf(file)) === 'dead') await unlink(file).catch(() => undefined);
    await unlink(removal);
  } else {
    // Another process removes it, or was killed while doing so.
    await sleep(RETRY_MS);
    if ((await stateOf(removal)) === 'dead') await unlink(removal).catch(() => undefined);
  }
}

/** `<pid> <start time>` of a live process; undefined if there is none. */
async function identityOf(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The 22nd field is the start time; the second one may contain spaces and ends with the last bracket.
  const started = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${pid} ${started}`.trim();
}
