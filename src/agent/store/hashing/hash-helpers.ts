import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** Beside the one that this process takes. More wait for memory. */
const MOST = 3;
const DIGEST = /^[0-9a-f]{64}$/;

/** One processor is left for this process, which hashes too. */
export const helpersHere = (): number => Math.min(MOST, availableParallelism() - 1);

/**
 * A process that hashes parts of files. The memory that threads take stays with the agent, and that of a
 * process does not. It ends with this one.
 */
export class HashHelper {
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor() {
    const program = join(__dirname, `hash-helper${extname(__filename)}`);
    this.child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
    // Whoever waits for an answer learns that there is none.
    this.child.on('error', () => {});
    this.child.stdin!.on('error', () => {});
    this.lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]();
  }

  /** SHA-256 of a part of a file. @returns undefined if the helper failed */
  async digest(path: string, position: number, length: number): Promise<Buffer | undefined> {
    this.child.stdin!.write(`${JSON.stringify([path, position, length])}\n`);
    const { value } = (await this.lines.next()) as { value?: string };
    return value !== undefined && DIGEST.test(value) ? Buffer.from(value, 'hex') : undefined;
  }

  async end(): Promise<void> {
    if (this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
