import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 50;
const RETRY_MS = 20;

/**
 * Says that this process uses a data directory. The file names the process and the moment it started, so that
 * the lock of a killed process is recognised even when its id was given to another one.
 */
export class DataDirLock {
  private held = true;

  private constructor(private readonly file: string) {}

  /** @returns undefined while another live process holds the directory */
  static async acquire(directory: string): Promise<DataDirLock | undefined> {
    const file = join(directory, 'service.lock');
    // Written aside and linked: the lock is there with its content, or it is not there.
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

  /** Once: a second call must not take another instance's lock away. */
  async release(): Promise<void> {
    if (!this.held) return;
    this.held = false;
    await unlink(this.file).catch(() => undefined);
  }
}

/** @returns whether the file is now a link to this one; false when there was a file */
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
 * Whether the process that a lock names lives. A lock that is gone
 * is nobody's: the next one there may be a live one.
 */
async function stateOf(file: string): Promise<'live' | 'dead' | 'gone'> {
  const holder = await readFile(file, 'utf8').catch(() => undefined);
  if (holder === undefined) return 'gone';
  const pid = Number(holder.split(' ')[0]);
  return pid > 0 && (await identityOf(pid)) === holder ? 'live' : 'dead';
}

/**
 * Removes the lock of a killed process, one process at a time: between looking at it and
 * removing it nobody else may put a live one in its place.
 */
async function removeStale(mine: string, file: string): Promise<void> {
  const removal = `${file}.removal`;
  if (await linked(mine, removal)) {
    // Dead, it stays where it is until it is removed here, so what is removed is what was looked at.
    if ((await stateOf(file)) === 'dead') await unlink(file).catch(() => undefined);
    await unlink(removal);
  } else {
    // Somebody else removes it, or was killed while doing so.
    await sleep(RETRY_MS);
    if ((await stateOf(removal)) === 'dead') await unlink(removal).catch(() => undefined);
  }
}

/** `<pid> <start time>` of a live process; undefined when there is none. */
async function identityOf(pid: number): Promise<string | undefined> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The 22nd field is the start time; the second one may hold spaces and ends with the last bracket.
  const started = line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return `${pid} ${started}`.trim();
}
