import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import type { CheckpointStore, Found } from '../../../store/checkpoint-store';
import { storeFailed } from '../../../store/store-failures';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import type { ClusterContext } from '../cluster-context';

/** A directory on a server that is gone answers nothing, for ever. */
const SILENT_AFTER_MS = 120_000;

/** Whether the store has a checkpoint is not known. The same question may be answered later. */
export class StoreUnavailable extends AgentFailure {}

/** The part of a store that is asked. */
type Asked = Pick<CheckpointStore, 'find' | 'findsAtOnce'>;

/** All who ask for one id share it. */
interface Question {
  readonly id: string;
  readonly answer: PromiseWithResolvers<Found>;
  askers: number;
  /** When the store was asked, by `performance.now()`; undefined: it waits in line. */
  askedMs?: number;
}

/**
 * The questions to one store. It gets few at once; the others wait in line for as long as it answers, however
 * many they are.
 */
class Questions {
  private readonly open = new Map<string, Question>();
  private readonly line = new Set<Question>();
  private asked = 0;
  private lastAskedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly store: Asked) {}

  /** @throws `StoreUnavailable` if the store is silent */
  async find(id: string, silentAfterMs: number): Promise<Found> {
    const question = this.open.get(id) ?? this.add(id);
    question.askers++;
    try {
      return await this.whileAnswering(question, silentAfterMs);
    } finally {
      question.askers--;
      // Nobody waits for it any more.
      if (question.askers === 0 && this.line.delete(question)) this.open.delete(id);
    }
  }

  private add(id: string): Question {
    const question = { id, answer: Promise.withResolvers<Found>(), askers: 0 };
    // Those who ask may have gone.
    question.answer.promise.catch(() => undefined);
    this.open.set(id, question);
    this.line.add(question);
    this.next();
    return question;
  }

  private next(): void {
    for (const question of this.line) {
      if (this.asked >= this.store.findsAtOnce) return;
      this.line.delete(question);
      void this.ask(question);
    }
  }

  private async ask(question: Question): Promise<void> {
    const { id, answer } = question;
    this.asked++;
    question.askedMs = this.lastAskedMs = performance.now();
    try {
      answer.resolve(await this.store.find(id));
    } catch (error) {
      answer.reject(error);
    } finally {
      this.asked--;
      this.open.delete(id);
      this.next();
    }
  }

  /** Those in line wait on while others are answered. */
  private async whileAnswering(question: Question, silentAfterMs: number): Promise<Found> {
    const cameMs = performance.now();
    const { promise: silence, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const watch = (): void => {
      const sinceMs = Math.max(cameMs, question.askedMs ?? this.lastAskedMs);
      const leftMs = sinceMs + silentAfterMs - performance.now();
      if (leftMs > 0) timer = setTimeout(watch, leftMs);
      else reject(new StoreUnavailable(silentFacts(question.id, silentAfterMs)));
    };
    watch();
    try {
      return await Promise.race([question.answer.promise, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const silentFacts = (id: string, silentAfterMs: number): FailureFacts =>
  storeFailed(
    `it has not answered for ${silentAfterMs / 1_000} seconds, so whether it has the checkpoint ${id} is not known`,
  ).facts;

const questions = new WeakMap<Asked, Questions>();

/**
 * What the store has of a checkpoint, when nobody is left who could say how it ended.
 * @throws `StoreUnavailable` if that is not known now, so that the request is repeated
 */
export async function storedResult(
  { store, storeSilentAfterMs = SILENT_AFTER_MS }: Pick<ClusterContext, 'storeSilentAfterMs'> & { store: Asked },
  id: string,
): Promise<CheckpointResult | undefined> {
  const asked = questions.get(store) ?? new Questions(store);
  questions.set(store, asked);
  const manifest = await asked.find(id, storeSilentAfterMs).catch((error: unknown) => {
    const facts = failureOf(error);
    throw facts.cause === 'store_failed' ? new StoreUnavailable(facts, { cause: error }) : error;
  });
  if (typeof manifest === 'string') return undefined;
  const { reference, bytes, stages, workload, machine } = manifest;
  return { reference, bytes, stages, machine, criu: {}, ...(workload.preempted && { preempted: true }) };
}
