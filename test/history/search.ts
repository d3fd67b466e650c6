import type { Call } from './history';

/** How an object behaves if requests are served one after the other. */
export interface Model<State> {
  readonly initial: State;
  /** Operations that change nothing: without an answer, they say nothing. */
  readonly reads: readonly string[];
  /**
   * The states that an object may have after a call, if its answer is possible; empty if it is not. Without
   * an answer, those after any possible one.
   */
  next(state: State, call: Call): readonly State[];
}

export interface Verdict {
  readonly linearizable: boolean;
  /** If not: the calls of the longest order that was found, and those that fit nowhere behind it. */
  readonly explained: readonly Call[];
  readonly left: readonly Call[];
}

/** A call took effect, and led to this state. */
interface Step<State> {
  readonly done: bigint;
  readonly state: State;
  readonly order: readonly number[];
}

/**
 * Looks for one order of all calls in which each is served at one moment between its request and its answer:
 * the search of Wing and Gong, with the memory of Lowe, as in Porcupine. A call without an answer may be
 * anywhere after its request, or nowhere.
 */
export function check<State>(history: readonly Call[], model: Model<State>): Verdict {
  const calls = history
    .filter(({ operation, output }) => output !== undefined || !model.reads.includes(operation))
    .toSorted((a, b) => a.invokedAt - b.invokedAt);
  const bit = calls.map((_, place) => 1n << BigInt(place));
  const answered = calls.reduce((mask, { output }, place) => (output === undefined ? mask : mask | bit[place]!), 0n);
  const seen = new Set<string>();
  let longest: readonly number[] = [];
  const open: Step<State>[] = [{ done: 0n, state: model.initial, order: [] }];
  for (let step = open.pop(); step; step = open.pop()) {
    const { done, state, order } = step;
    if ((done & answered) === answered) return { linearizable: true, explained: [], left: [] };
    if (order.length > longest.length) longest = order;
    const waiting = calls.flatMap((_, place) => ((done & bit[place]!) === 0n ? [place] : []));
    // A call that was sent after another one was answered comes after it.
    const firstAnswer = Math.min(...waiting.map((place) => calls[place]!.returnedAt));
    const candidates = waiting.filter((place) => calls[place]!.invokedAt <= firstAnswer);
    // The last one is tried first: calls with an answer lead on sooner than those without.
    const byAnswer = candidates.toSorted((a, b) => calls[b]!.returnedAt - calls[a]!.returnedAt);
    for (const place of byAnswer)
      for (const after of model.next(state, calls[place]!)) {
        const mask = done | bit[place]!;
        const key = `${mask.toString(36)} ${JSON.stringify(after)}`;
        if (seen.has(key)) continue;
        seen.add(key);
        open.push({ done: mask, state: after, order: [...order, place] });
      }
  }
  const used = new Set(longest);
  return {
    linearizable: false,
    explained: longest.map((place) => calls[place]!),
    left: calls.filter(({ output }, place) => !used.has(place) && output !== undefined),
  };
}

/** A call in words. */
export const show = ({ client, operation, input, output, invokedAt, returnedAt }: Call): string =>
  `${invokedAt.toFixed(0)}–${returnedAt === Infinity ? '?' : returnedAt.toFixed(0)} ms, client ${client}: ` +
  `${operation} ${JSON.stringify(input)} → ${output === undefined ? 'no answer' : JSON.stringify(output)}`;
