import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** `flock` ends with it if another process holds the lock. */
const HELD = 1;

/**
 * A lock on a file that the kernel takes back when its owner ends, however it ends. Processes that were
 * started with its open file own it too.
 */
export class FileLock {
  private constructor(private fd: number | undefined) {}

  /** @returns undefined if another process holds it, and still did after `waitSeconds` */
  static async take(path: string, waitSeconds = 0): Promise<FileLock | undefined> {
    const fd = openSync(path, 'a', 0o600);
    try {
      if (await flock(fd, waitSeconds)) return new FileLock(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  }

  /** Whether this is the file at the path: another process may have moved it away before it was locked. */
  isOf(path: string): boolean {
    const [own, there] = [fstatSync(this.file), statSync(path, { throwIfNoEntry: false })];
    return own.ino === there?.ino && own.dev === there.dev;
  }

  /** The open file. */
  get file(): number {
    if (this.fd === undefined) throw new Error('The lock was released.');
    return this.fd;
  }

  release(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}

/**
 * Node cannot lock a file, so flock(1) does. The lock belongs to the open file, which both processes share,
 * so it stays when flock ends.
 */
function flock(fd: number, waitSeconds: number): Promise<boolean> {
  const wait = waitSeconds > 0 ? ['--timeout', String(waitSeconds)] : ['--nonblock'];
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['--exclusive', ...wait, '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.once('error', (cause) => reject(new Error('flock of util-linux does not start.', { cause })));
    child.once('exit', (code) => {
      if (code === 0) resolve(true);
      else if (code === HELD) resolve(false);
      else reject(new Error(`flock ended with ${code ?? 'a signal'}.`));
    });
  });
}
