import { AgentFailure, type FailureFacts } from '../failures';
import type { OnProgress, Progress, StageName } from '../stages';

const HOUR_MS = 3_600_000;

/**
 * A checkpoint of which neither the stage nor the bytes have changed for so long counts as hung. All that
 * shows no bytes ends much earlier: a hook after a minute, the wait for other dumps after five, CRIU's dump
 * after half an hour. What remains is the wait for the disk: within four hours, 10 MB/s write 144 GB, more
 * than a kernel keeps unwritten with 700 GB of memory. What a killed agent left goes later (`LEFTOVER_MS`).
 */
export const HUNG_AFTER_MS = 4 * HOUR_MS;

/**
 * Who waits for a checkpoint uses the same rule, for the case that its supervisor does not: another version,
 * or a workload that pretends to be one. The supervisor's own word comes first, also through a lost line.
 */
const GIVEN_UP_AFTER_MS = HUNG_AFTER_MS + HOUR_MS / 6;

/** Notices that a checkpoint stands still. */
export class Standstill {
  private last: Progress | undefined;
  private timer: NodeJS.Timeout;

  /** @param hung is called when it stands still, and again if that happens after it has moved */
  constructor(
    private readonly hung: (last: Progress | undefined) => void,
    private readonly afterMs = HUNG_AFTER_MS,
  ) {
    this.timer = this.begin();
  }

  /** @returns whether it has moved since the last time */
  note(progress: Progress): boolean {
    const { last } = this;
    this.last = progress;
    if (last?.stage === progress.stage && last.bytesDone === progress.bytesDone) return false;
    this.restart();
    return true;
  }

  /** From now on, as if it had moved. */
  restart(): void {
    this.end();
    this.timer = this.begin();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private begin(): NodeJS.Timeout {
    // It keeps no process alive that has nothing else to do.
    return setTimeout(() => this.hung(this.last), this.afterMs).unref();
  }
}

/**
 * Follows a checkpoint until it has ended, and for as long as it moves. While it waits for its turn, it
 * does not move, however well the one before it goes on. So until then, each line of its supervisor counts as
 * movement: the supervisor has the same rule for the one before it, and fails those behind one that hangs.
 * @param follow gets a signal that ends it; all that it does until then counts
 */
export async function whileItMoves<T>(
  id: string,
  onProgress: OnProgress,
  follow: (onProgress: OnProgress, signal: AbortSignal) => Promise<T>,
  afterMs = GIVEN_UP_AFTER_MS,
): Promise<T> {
  const over = new AbortController();
  const hung = (last: Progress | undefined): void => {
    const facts = hungFacts(id, last?.stage, afterMs);
    over.abort(new AgentFailure({ ...facts, remedy: `${facts.remedy} ${MAY_STILL_END}` }));
  };
  const standstill = new Standstill(hung, afterMs);
  const note: OnProgress = (progress) => {
    if (!standstill.note(progress) && progress.stage === 'wait') standstill.restart();
    onProgress(progress);
  };
  try {
    return await follow(note, over.signal);
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    standstill.end();
  }
}

/** Whether a checkpoint was given up because it hangs. Nobody looks into the store then: it may hang too. */
export const isHung = (error: unknown): boolean =>
  error instanceof AgentFailure && error.facts.cause === 'checkpoint_hung';

/** What may be the reason where a checkpoint stands, and what is left meanwhile. */
const WHERE: Partial<Record<StageName, string>> = {
  dump:
    'CRIU has not ended: look at it by "ps", and at dump.log in the folder "criu" of the workload. The workload may ' +
    'be frozen until it ends.',
  hash: 'Its files are not written: check the file system of the store. The workload goes on.',
  compress: 'Its files are not sent: check the object storage and the way to it. The workload goes on.',
  upload: 'Its files are not sent: check the object storage and the way to it. The workload goes on.',
  resume: 'It is stored, and what follows does not end: check the processes of the workload by "ps".',
};
const ANYWHERE = 'Check the file systems of the store and of the state directory, and the processes of the workload.';
const LEFT =
  'What it has written stays in the store as a draft until it ends. If it never does, only the end of its supervisor ' +
  'ends it, and ends the workload too.';
/** A supervisor that has given up a checkpoint itself keeps the workload. This one has not. */
const MAY_STILL_END =
  'Its supervisor has not given it up, as one of an older version: if it was to end the workload, it may still do so.';

export const hungFacts = (id: string, stage: StageName | undefined, afterMs: number): FailureFacts => ({
  cause: 'checkpoint_hung',
  message:
    `The checkpoint ${id} hangs${stage === undefined ? '' : ` in its stage "${stage}"`}: nothing of it has moved for ` +
    `${lengthText(afterMs)}. It is not waited for any longer.`,
  remedy: `${(stage && WHERE[stage]) ?? ANYWHERE} ${LEFT}`,
});

/** Of one that would have to wait for it. */
export const behindHungFacts = (hungId: string): FailureFacts => ({
  cause: 'checkpoint_hung',
  message: `No checkpoint of this workload can begin: the checkpoint ${hungId} before it hangs, and has not ended.`,
  remedy: '`ccp-agent status` shows in which stage it stands. Ask for another checkpoint once it has ended.',
});

const lengthText = (ms: number): string =>
  ms < HOUR_MS ? `${ms / 1_000} seconds` : `${(ms / HOUR_MS).toFixed(1).replace(/\.0$/, '')} hours`;
