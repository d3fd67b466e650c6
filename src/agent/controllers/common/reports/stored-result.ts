import { AgentFailure, failureOf, type FailureFacts } from '../../../failures';
import type { CheckpointStore, Found } from '../../../store/checkpoint-store';
import type { Manifest } from '../../../store/manifest';
import { mayStorePass, storeFailed } from '../../../store/store-failures';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import type { ClusterContext } from '../cluster-context';

/** A directory on a server that is gone answers nothing, for ever. */
const SILENT_AFTER_MS = 120_000;

/** Whether the store has a checkpoint is not known. The same question may be answered later. */
export class StoreUnavailable extends AgentFailure {}

/** A store, as far as it is asked. */
type Store<K extends keyof CheckpointStore> = Pick<CheckpointStore, K | 'findsAtOnce'>;
type Asking<K extends keyof CheckpointStore> = Pick<ClusterContext, 'storeSilentAfterMs'> & { store: Store<K> };

/** All who ask for one checkpoint in the same way share it. */
interface Question {
  /** The checkpoint, by its id or its reference. */
  readonly of: string;
  readonly put: () => Promise<Found>;
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

  constructor(private readonly store: Store<never>) {}

  /** @throws `StoreUnavailable` if the store is silent */
  async answer(of: string, put: () => Promise<Found>, silentAfterMs: number): Promise<Found> {
    const question = this.open.get(of) ?? this.add(of, put);
    question.askers++;
    try {
      return await this.whileAnswering(question, silentAfterMs);
    } finally {
      question.askers--;
      // Nobody waits for it any more.
      if (question.askers === 0 && this.line.delete(question)) this.open.delete(of);
    }
  }

  private add(of: string, put: () => Promise<Found>): Question {
    const question = { of, put, answer: Promise.withResolvers<Found>(), askers: 0 };
    // Those who ask may have gone.
    question.answer.promise.catch(() => undefined);
    this.open.set(of, question);
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
    const { of, put, answer } = question;
    this.asked++;
    question.askedMs = this.lastAskedMs = performance.now();
    try {
      answer.resolve(await put());
    } catch (error) {
      answer.reject(error);
    } finally {
      this.asked--;
      this.open.delete(of);
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
      else reject(new StoreUnavailable(silentFacts(question.of, silentAfterMs)));
    };
    watch();
    try {
      return await Promise.race([question.answer.promise, silence]);
    } finally {
      clearTimeout(timer);
    }
  }
}

const silentFacts = (of: string, silentAfterMs: number): FailureFacts =>
  storeFailed(
    `it has not answered for ${silentAfterMs / 1_000} seconds, so whether it has the checkpoint ${of} is not known`,
  ).facts;

const questions = new WeakMap<object, Questions>();

async function answerOf(
  { store, storeSilentAfterMs = SILENT_AFTER_MS }: Asking<never>,
  of: string,
  put: () => Promise<Found>,
): Promise<Found> {
  const asked = questions.get(store) ?? new Questions(store);
  questions.set(store, asked);
  return asked.answer(of, put, storeSilentAfterMs).catch((error: unknown) => {
    throw mayStorePass(error) ? new StoreUnavailable(failureOf(error), { cause: error }) : error;
  });
}

/**
 * What the store has of a checkpoint, when nobody is left who could say how it ended.
 * @throws `StoreUnavailable` if that is not known now, so that the request is repeated
 */
export async function storedResult(asking: Asking<'find'>, id: string): Promise<CheckpointResult | undefined> {
  const manifest = await answerOf(asking, id, () => asking.store.find(id));
  if (typeof manifest === 'string') return undefined;
  const { reference, bytes, stages, workload, machine } = manifest;
  return { reference, bytes, stages, machine, criu: {}, ...(workload.preempted && { preempted: true }) };
}

/**
 * The manifest of a checkpoint that has to be there.
 * @throws `StoreUnavailable` if it may be read later
 */
export async function storedManifest(asking: Asking<'manifest'>, reference: string): Promise<Manifest> {
  return (await answerOf(asking, reference, () => asking.store.manifest(reference))) as Manifest;
}
