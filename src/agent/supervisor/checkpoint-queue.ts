import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicNs } from '../clock';
import { AgentFailure, failureOf, type FailureFacts } from '../failures';
import { StageClock } from '../stage-clock';
import type { OnProgress, Progress } from '../stages';
import type { CheckpointLine, CheckpointRequest, CheckpointResult, CheckpointState } from './control/control-protocol';
import { behindHungFacts, HUNG_AFTER_MS, hungFacts, Standstill } from './standstill';

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
  /** Aborted once it hangs: from then on, nobody waits for it. */
  readonly givenUp: AbortController;
  /** From its turn to its end. */
  standstill?: Standstill;
}

/** A checkpoint that was taken, and what is still to be done after the answer: nobody waits for it. */
export interface Taken {
  readonly result: CheckpointResult;
  readonly afterwards?: (() => Promise<void>) | undefined;
}

export interface QueueOptions {
  readonly repeatMs?: number;
  readonly hungAfterMs?: number;
  /** Prints what happens, one sentence at a time. */
  readonly say?: (sentence: string) => void;
}

/**
 * Takes the checkpoints of one workload, one after the other, each id once. While one hangs, the others fail:
 * two at a time would dump the same processes, or wait for the same store.
 */
export class CheckpointQueue {
  private readonly attempts = new Map<string, Attempt>();
  private tail: Promise<void> = Promise.resolve();
  /** The one whose turn it is, while it stands still. */
  private hanging: Attempt | undefined;
  private readonly untilHung = new Set<() => void>();
  private readonly repeatMs: number;
  private readonly hungAfterMs: number;
  private readonly say: (sentence: string) => void;

  /**
   * @param known what an earlier supervisor of this workload recorded
   * @param take `givenUp` is aborted once the checkpoint hangs
   * @param changed a checkpoint began or ended; it must not throw, because requests wait for their answers
   *   (`durable`: this must be known also after a power failure, and the store does not say it)
   */
  constructor(
    known: readonly CheckpointState[],
    private readonly take: (request: CheckpointRequest, clock: StageClock, givenUp: AbortSignal) => Promise<Taken>,
    private readonly changed: (durable: boolean) => void,
    { repeatMs = REPEAT_MS, hungAfterMs = HUNG_AFTER_MS, say = () => undefined }: QueueOptions = {},
  ) {
    [this.repeatMs, this.hungAfterMs, this.say] = [repeatMs, hungAfterMs, say];
    for (const state of known.slice(-MAX_KEPT)) this.attempts.set(state.id, attemptOf(ended(state)));
  }

  get states(): CheckpointState[] {
    return [...this.attempts.values()].map(({ state }) => withoutMachine(state));
  }

  /**
   * Takes a checkpoint, or joins the attempt with the same id.
   * @returns the last line, after `onLine` got those before it. Throws `AgentFailure` if too many wait, or if
   *   it would have to wait for one that hangs
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
      if (state.state === 'failed' || state.state === 'hung') listener({ failure: state.failure });
    });
  }

  /** Until nothing waits and nothing is in progress, but what hangs. @returns false if something hangs */
  async idle(): Promise<boolean> {
    if (this.hanging) return false;
    const { promise: hung, resolve } = Promise.withResolvers<false>();
    const notice = (): void => resolve(false);
    this.untilHung.add(notice);
    try {
      return await Promise.race([this.tail.then(() => true), hung]);
    } finally {
      this.untilHung.delete(notice);
    }
  }

  private add(request: CheckpointRequest): Attempt {
    if (this.hanging) throw new AgentFailure(behindHungFacts(this.hanging.state.id));
    const open = [...this.attempts.values()].filter(({ state }) => state.state === 'in_progress');
    if (open.length > MAX_WAITING)
      throw new AgentFailure({
        cause: 'busy',
        message: `${open.length} checkpoints of this workload are in progress or wait already.`,
        remedy: 'Ask again when one of them has ended.',
      });
    const attempt = attemptOf({ id: request.id, state: 'in_progress', progress: null });
    // It measures from the request on.
    const clock = new StageClock(this.progressOf(attempt));
    clock.enter('wait');
    this.attempts.set(request.id, attempt);
    for (const [id, { state }] of this.attempts) {
      if (this.attempts.size <= MAX_KEPT) break;
      if (state.state === 'ready' || state.state === 'failed') this.attempts.delete(id);
    }
    this.changed(false);
    const repetition = setInterval(() => repeat(attempt), this.repeatMs).unref();
    this.tail = this.tail.then(() => this.perform(request, attempt, clock)).finally(() => clearInterval(repetition));
    return attempt;
  }

  private async perform(request: CheckpointRequest, attempt: Attempt, clock: StageClock): Promise<void> {
    const { id } = request;
    // It has failed behind one that hung.
    if (attempt.state.state !== 'in_progress') return;
    attempt.standstill = new Standstill(() => this.giveUp(attempt), this.hungAfterMs);
    try {
      await this.takeInTurn(request, attempt, clock);
    } finally {
      attempt.standstill.end();
      if (this.hanging === attempt) {
        this.hanging = undefined;
        this.say(`The checkpoint ${id}, which hung, has ended. Others may be taken again.`);
      }
    }
  }

  private async takeInTurn(request: CheckpointRequest, attempt: Attempt, clock: StageClock): Promise<void> {
    const { id } = request;
    let line: CheckpointLine;
    let afterwards: Taken['afterwards'];
    try {
      const taken = await this.take(request, clock, attempt.givenUp.signal);
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

  /**
   * It stands still. Whoever waits for it or behind it learns that, and what it has begun goes on. What is
   * recorded of it here need not be: a later supervisor takes what it finds unended for broken off.
   */
  private giveUp(attempt: Attempt): void {
    const { state, givenUp } = attempt;
    this.hanging = attempt;
    givenUp.abort();
    const progress = state.state === 'in_progress' ? state.progress : undefined;
    const facts = hungFacts(state.id, progress === undefined ? 'resume' : progress?.stage, this.hungAfterMs);
    if (progress !== undefined) this.fail(attempt, { id: state.id, state: 'hung', progress, failure: facts });
    for (const other of this.attempts.values()) {
      if (other === attempt || other.state.state !== 'in_progress') continue;
      this.fail(other, { id: other.state.id, state: 'failed', failure: behindHungFacts(state.id) });
    }
    for (const notice of this.untilHung) notice();
    this.say(`${facts.message} ${facts.remedy}`);
    // Last: the disk that it waits for may be the one that has the record.
    this.changed(false);
  }

  /** The workload has ended, and so does its supervisor: whoever still waits for a checkpoint learns it. */
  abandon(): void {
    const failure = {
      cause: 'workload_ended',
      message: 'The workload ended before its checkpoint was stored.',
    } as const;
    for (const attempt of this.attempts.values())
      if (attempt.state.state === 'in_progress') this.fail(attempt, { id: attempt.state.id, state: 'failed', failure });
  }

  private movesAgain({ state: { id } }: Attempt): void {
    this.hanging = undefined;
    this.say(`The checkpoint ${id}, which hung, moves again.`);
    this.changed(false);
  }

  private fail(attempt: Attempt, state: CheckpointState & { readonly failure: FailureFacts }): void {
    attempt.state = state;
    for (const listener of [...attempt.listeners]) listener({ failure: state.failure });
  }

  private progressOf(attempt: Attempt): OnProgress {
    let last: { stage: Progress['stage']; atNs: number } | undefined;
    return (progress) => {
      const hasMoved = attempt.standstill?.note(progress);
      if (attempt.state.state === 'failed' || (attempt.state.state === 'hung' && !hasMoved)) return;
      const wasHung = attempt.state.state === 'hung';
      attempt.state = { id: attempt.state.id, state: 'in_progress', progress };
      if (wasHung) this.movesAgain(attempt);
      const atNs = monotonicNs();
      if (last?.stage === progress.stage && atNs - last.atNs < PROGRESS_EVERY_NS) return;
      last = { stage: progress.stage, atNs };
      for (const listener of attempt.listeners) listener({ progress });
    };
  }
}

const attemptOf = (state: CheckpointState): Attempt => ({
  state,
  listeners: new Set(),
  givenUp: new AbortController(),
});

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
  state.state === 'ready' || state.state === 'failed'
    ? state
    : {
        id: state.id,
        state: 'failed',
        failure: { cause: 'workload_ended', message: 'The supervisor ended while it took this checkpoint.' },
      };
