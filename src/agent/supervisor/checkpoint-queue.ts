import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicNs } from '../clock';
import { AgentFailure, failureOf } from '../failures';
import { StageClock } from '../stage-clock';
import type { OnProgress, Progress } from '../stages';
import type { CheckpointLine, CheckpointRequest, CheckpointResult, CheckpointState } from './control/control-protocol';

/** Requests that wait for the one in progress. */
export const MAX_WAITING = 8;
/** Results that are kept; the oldest are forgotten. */
export const MAX_KEPT = 100;
/** Progress within a stage is passed on at most so often. */
const PROGRESS_EVERY_NS = 100e6;
/** The last line is repeated so often: whoever waits takes a long silence for the end. */
const REPEAT_MS = 30_000;

type Listener = (line: CheckpointLine) => void;

interface Attempt {
  state: CheckpointState;
  readonly listeners: Set<Listener>;
}

/** A checkpoint that was taken, and what is still to be done after the answer: nobody waits for it. */
export interface Taken {
  readonly result: CheckpointResult;
  readonly afterwards?: (() => Promise<void>) | undefined;
}

/** Takes the checkpoints of one workload, one after the other, each id once. */
export class CheckpointQueue {
  private readonly attempts = new Map<string, Attempt>();
  private tail: Promise<void> = Promise.resolve();

  /**
   * @param known what an earlier supervisor of this workload recorded
   * @param changed a checkpoint began or ended; it must not throw, because requests wait for their answers
   *   (`durable`: this must be known also after a power failure, and the store does not say it)
   */
  constructor(
    known: readonly CheckpointState[],
    private readonly take: (request: CheckpointRequest, clock: StageClock) => Promise<Taken>,
    private readonly changed: (durable: boolean) => void,
    private readonly repeatMs = REPEAT_MS,
  ) {
    for (const state of known.slice(-MAX_KEPT))
      this.attempts.set(state.id, { state: ended(state), listeners: new Set() });
  }

  get states(): CheckpointState[] {
    return [...this.attempts.values()].map(({ state }) => withoutMachine(state));
  }

  /**
   * Takes a checkpoint, or joins the attempt with the same id.
   * @returns the last line, after `onLine` got those before it. Throws `AgentFailure` if too many wait
   */
  request(request: CheckpointRequest, onLine: Listener = () => {}): Promise<CheckpointLine> {
    const attempt = this.attempts.get(request.id) ?? this.add(request);
    if (attempt.state.state === 'in_progress' && attempt.state.progress) onLine({ progress: attempt.state.progress });
    return new Promise((resolve) => {
      const listener: Listener = (line) => {
        if (line.progress) return onLine(line);
        attempt.listeners.delete(listener);
        resolve(line);
      };
      attempt.listeners.add(listener);
      const { state } = attempt;
      if (state.state === 'ready') listener({ result: state.result });
      if (state.state === 'failed') listener({ failure: state.failure });
    });
  }

  /** Until nothing waits and nothing is in progress. */
  idle(): Promise<void> {
    return this.tail;
  }

  private add(request: CheckpointRequest): Attempt {
    const open = [...this.attempts.values()].filter(({ state }) => state.state === 'in_progress');
    if (open.length > MAX_WAITING)
      throw new AgentFailure({
        cause: 'busy',
        message: `${open.length} checkpoints of this workload are in progress or wait already.`,
        remedy: 'Ask again when one of them has ended.',
      });
    const attempt: Attempt = {
      state: { id: request.id, state: 'in_progress', progress: null },
      listeners: new Set(),
    };
    // It measures from the request on.
    const clock = new StageClock(this.progressOf(attempt));
    clock.enter('wait');
    this.attempts.set(request.id, attempt);
    for (const [id, { state }] of this.attempts) {
      if (this.attempts.size <= MAX_KEPT) break;
      if (state.state !== 'in_progress') this.attempts.delete(id);
    }
    this.changed(false);
    const repetition = setInterval(() => repeat(attempt), this.repeatMs);
    this.tail = this.tail.then(() => this.perform(request, attempt, clock)).finally(() => clearInterval(repetition));
    return attempt;
  }

  private async perform(request: CheckpointRequest, attempt: Attempt, clock: StageClock): Promise<void> {
    const { id } = request;
    let line: CheckpointLine;
    let afterwards: Taken['afterwards'];
    try {
      const taken = await this.take(request, clock);
      const { result } = taken;
      ({ afterwards } = taken);
      attempt.state = { id, state: 'ready', result };
      line = { result };
    } catch (error) {
      const failure = failureOf(error);
      attempt.state = { id, state: 'failed', failure };
      line = { failure };
    }
    // For whoever asks after this process was killed.
    this.changed(false);
    for (const listener of [...attempt.listeners]) listener(line);
    // A stored checkpoint is known by its manifest. Nobody waits for the disk.
    if (line.failure) await nextTurn().then(() => this.changed(true));
    await afterwards?.().catch(() => undefined);
  }

  private progressOf(attempt: Attempt): OnProgress {
    let last: { stage: Progress['stage']; atNs: number } | undefined;
    return (progress) => {
      attempt.state = { id: attempt.state.id, state: 'in_progress', progress };
      const atNs = monotonicNs();
      if (last?.stage === progress.stage && atNs - last.atNs < PROGRESS_EVERY_NS) return;
      last = { stage: progress.stage, atNs };
      for (const listener of attempt.listeners) listener({ progress });
    };
  }
}

function repeat({ state, listeners }: Attempt): void {
  if (state.state !== 'in_progress' || !state.progress) return;
  for (const listener of listeners) listener({ progress: state.progress });
}

/** A hundred times the same facts would make a record long that is written again and again. */
function withoutMachine(state: CheckpointState): CheckpointState {
  if (state.state !== 'ready') return state;
  const { machine: _machine, ...result } = state.result;
  return { ...state, result };
}

/** Nobody continues what an earlier supervisor began. */
const ended = (state: CheckpointState): CheckpointState =>
  state.state !== 'in_progress'
    ? state
    : {
        id: state.id,
        state: 'failed',
        failure: { cause: 'workload_ended', message: 'The supervisor ended while it took this checkpoint.' },
      };
