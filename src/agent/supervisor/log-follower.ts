import { spawn } from 'node:child_process';
import { close, fstat, open, read, write } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';

const openFile = promisify(open);
const closeFile = promisify(close);
const readFile = promisify(read);
const statFile = promisify(fstat);
const writeFile = promisify(write);

const CHUNK_BYTES = 64 * 1024;
/**
 * Pauses between looks: short while something comes, then longer and longer. Notices of the kernel would be
 * quicker, but it allows 128 watchers on a machine by default, and CRIU does not work without one.
 */
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;
/** A reader that does not read for so long at the end loses the rest, so that the supervisor can end. */
const FLUSH_MS = 10_000;
/** Of the newest output, what stays in the file; twice as much may until it is freed. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** What a full disk answers. It passes, and then the output goes on where it was. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT'];

/**
 * Copies what a file gains to a stream. Only the workload writes the file: see `docs/agents.md`. The space of
 * old output is freed, so that a workload which prints for months does not fill the disk. The file becomes no
 * shorter by that: the workload goes on behind its end, and a restore knows it by its length.
 */
export class LogFollower {
  private readonly buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  private timer: NodeJS.Timeout | undefined;
  private pauseMs = SHORTEST_PAUSE_MS;
  private position = 0;
  /** Up to where the file is a hole. Infinity: its file system has no holes. */
  private freed = 0;
  private pass: Promise<void> = Promise.resolve();
  private ending = false;
  private broken = false;

  private constructor(
    private readonly fd: number,
    private readonly output: Writable,
    /** Of the output, if that is a file on a disk. */
    private readonly outputFd: number | undefined,
    private readonly keptBytes: number,
  ) {}

  static async follow(path: string, output: Writable, keptBytes = KEPT_BYTES): Promise<LogFollower> {
    const outputFd = await fileOf(output);
    const follower = new LogFollower(await openFile(path, 'r'), output, outputFd, keptBytes);
    follower.begin();
    return follower;
  }

  /** Copies what is left, and stops. */
  async end(): Promise<void> {
    this.ending = true;
    clearTimeout(this.timer);
    this.look();
    let timeout: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timeout = setTimeout(resolve, FLUSH_MS)));
    await Promise.race([this.pass, late]);
    clearTimeout(timeout);
    this.broken = true;
    await closeFile(this.fd);
  }

  private begin(): void {
    // Who reads our output may leave; the workload continues.
    this.output.on('error', (error) => (this.broken ||= !isFull(error)));
    // Standard output says so after each failure, and can be written to all the same.
    this.output.on('close', () => (this.broken ||= this.output.destroyed));
    this.look();
  }

  /** One pass after the other; the next look follows by itself. */
  private look(): void {
    this.pass = this.pass.then(async () => {
      const before = this.position;
      await this.copy().catch((error: unknown) => (this.broken ||= !isFull(error)));
      if (this.ending) return;
      if (this.broken) await this.skip().catch(() => undefined);
      this.pauseMs = this.position > before ? SHORTEST_PAUSE_MS : Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
      this.timer = setTimeout(() => this.look(), this.pauseMs).unref();
    });
  }

  private async copy(): Promise<void> {
    while (!this.broken) {
      const { bytesRead } = await readFile(this.fd, this.buffer, 0, CHUNK_BYTES, this.position);
      if (bytesRead === 0) {
        const { size } = await statFile(this.fd);
        if (size >= this.position) return;
        // People cut the log, to free its space. What follows is new.
        this.moveTo(0);
        continue;
      }
      const written = await this.write(Buffer.from(this.buffer.subarray(0, bytesRead)));
      this.moveTo(this.position + written);
      await this.free();
    }
  }

  /** Nobody reads our output any more. */
  private async skip(): Promise<void> {
    this.moveTo((await statFile(this.fd)).size);
    await this.free();
  }

  private moveTo(position: number): void {
    // People cut the file, which then has no hole.
    if (position < this.position && this.freed !== Infinity) this.freed = 0;
    this.position = position;
  }

  /** Frees what was passed on, and is not among the newest bytes. */
  private async free(): Promise<void> {
    // At the end, the file may be closed already, and another one have its descriptor.
    if (this.ending) return;
    const upTo = this.position - this.keptBytes;
    if (upTo - this.freed < this.keptBytes) return;
    this.freed = (await punchHole(this.fd, this.freed, upTo)) ? upTo : Infinity;
  }

  /** @returns how many bytes of it: a disk may have room for the first ones */
  private async write(chunk: Buffer): Promise<number> {
    // The stream of a file takes it as if all of it was written then.
    if (this.outputFd !== undefined) return (await writeFile(this.outputFd, chunk)).bytesWritten;
    return new Promise((resolve, reject) => {
      this.output.write(chunk, (error) => (error ? reject(error) : resolve(chunk.length)));
    });
  }
}

async function fileOf(output: Writable): Promise<number | undefined> {
  const { fd } = output as { fd?: unknown };
  return typeof fd === 'number' && (await statFile(fd)).isFile() ? fd : undefined;
}

const isFull = (error: unknown): boolean => FULL.includes((error as NodeJS.ErrnoException).code);

/** Node cannot do it, so fallocate(1) of util-linux does. @returns false if it could not */
function punchHole(fd: number, from: number, to: number): Promise<boolean> {
  const range = ['--offset', String(from), '--length', String(to - from)];
  return new Promise((resolve) => {
    // The file may have got another name.
    const child = spawn('fallocate', ['--punch-hole', ...range, '/proc/self/fd/3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
    });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
