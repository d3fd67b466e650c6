import { open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Says that this process uses a data directory. The file names the process and the moment it started, so that the lock of
 * a killed process is recognised even when its id was given to another one.
 */
export class DataDirLock {
  private held = true;

  private constructor(private readonly file: string) {}

  /** @returns undefined while another live process holds the directory */
  static async acquire(directory: string): Promise<DataDirLock | undefined> {
    const file = join(directory, 'service.lock');
    const mine = await identityOf(process.pid);
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        const handle = await open(file, 'wx', 0o600);
        await handle.writeFile(mine ?? String(process.pid));
        await handle.close();
        return new DataDirLock(file);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = (await readFile(file, 'utf8').catch(() => '')).trim();
      const pid = Number(holder.split(' ')[0]);
      if (pid > 0 && (await identityOf(pid)) === holder) return undefined;
      // Moved aside rather than removed: of two processes that found it stale, one gets to move it.
      const aside = `${file}.${process.pid}`;
      await rename(file, aside).then(
        () => unlink(aside),
        () => undefined,
      );
    }
    return undefined;
  }

  /** Once: a second call must not take another instance's lock away. */
  async release(): Promise<void> {
    if (!this.held) return;
    this.held = false;
    await unlink(this.file).catch(() => undefined);
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
