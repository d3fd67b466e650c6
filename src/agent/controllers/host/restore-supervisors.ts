import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { rename, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { timestamp } from '../../clock';
import type { StandbyOrder } from '../../supervisor/standby';

/** After a restore, when the restored workload has begun with its work. */
const AGAIN_AFTER_MS = 500;

export interface RestoreProcess {
  readonly child: ChildProcess;
  /** What it writes to standard error. */
  readonly errors: string;
}

/**
 * Supervisors for restores. One that is not needed yet may stand by, with its modules loaded, which takes
 * 70 ms of a processor; it has 15 MB of memory of its own. Only the next restore has it; others start their
 * own. It has nothing to do with any workload until it gets its order, and ends with this process.
 */
export class RestoreSupervisors {
  private standby: RestoreProcess | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    /** What runs `ccp-agent`, with its settings. */
    private readonly program: readonly [string, ...string[]],
    /** For what they write to standard error. */
    private readonly directory: string,
    private readonly standsBy: boolean,
  ) {}

  /** Has one standing by soon, unless there is one. */
  prepare(afterMs = AGAIN_AFTER_MS): void {
    if (!this.standsBy || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (!this.standby || hasEnded(this.standby.child)) this.standby = this.begin();
    }, afterMs).unref();
  }

  /** What one that stands by will write to standard error, perhaps after weeks. */
  get standbyErrors(): string | undefined {
    return this.standby?.errors;
  }

  /** A supervisor that restores. It is detached, so it outlives this process. */
  async start(order: StandbyOrder): Promise<RestoreProcess> {
    const standby = this.take();
    let process = standby ?? this.begin();
    try {
      // One that stood by may just have been killed. It has not begun with anything.
      await instructed(process, order).catch(async (error: unknown) => {
        if (!standby) throw error;
        await instructed((process = this.begin()), order);
      });
    } finally {
      this.prepare();
    }
    const { child, errors } = process;
    const own = join(this.directory, `${order.uid}.log`);
    // Its descriptor stays the same. The text is for people, and for a failure that nobody foresaw.
    const named = await rename(errors, own).then(
      () => own,
      () => errors,
    );
    // One that stood by may have made it long ago.
    const now = new Date(timestamp());
    await utimes(named, now, now).catch(() => undefined);
    return { child, errors: named };
  }

  private take(): RestoreProcess | undefined {
    const { standby } = this;
    this.standby = undefined;
    return standby && !hasEnded(standby.child) ? standby : undefined;
  }

  private begin(): RestoreProcess {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    const errors = join(this.directory, `${randomUUID()}.log`);
    const [program, ...args] = this.program;
    const fd = openSync(errors, 'w', 0o600);
    try {
      const child = spawn(program, [...args, 'run', '--standby'], {
        detached: true,
        // Its workload's output is in its log.
        stdio: ['pipe', 'ignore', fd],
      });
      // Whoever gives it its order learns that it is gone.
      child.on('error', () => {});
      child.stdin!.on('error', () => {});
      child.unref();
      (child.stdin as Writable & { unref(): void }).unref();
      return { child, errors };
    } finally {
      closeSync(fd);
    }
  }
}

/** Gives a supervisor its order. It fails if the process has ended, or was not started. */
function instructed({ child }: RestoreProcess, order: StandbyOrder): Promise<void> {
  const input = child.stdin as Writable;
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    input.end(`${JSON.stringify(order)}\n`, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;
