/** A ready worker of a profile at this moment. */
export interface WorkerNow {
  readonly key: string;
  /** Concurrent requests that it should get at most. */
  readonly capacity: number;
  readonly inFlight: number;
}

/** Loads are similar if they differ by at most this share of the capacity, or by one request. */
const SIMILAR_SHARE = 1 / 4;

/**
 * The worker for the next request: the least loaded one by its share of the capacity. A worker that recently
 * served the same conversation still has it in its cache, so it comes first if its load is similar.
 * @param workers none is left out because of its load: who calls this has seen that one has room
 * @param turn increases with every choice, so that equally loaded workers take turns
 */
export function chooseWorker<Worker extends WorkerNow>(
  workers: readonly Worker[],
  recent: string | undefined,
  turn: number,
): Worker | undefined {
  let least: Worker | undefined;
  for (let place = 0; place < workers.length; place++) {
    const worker = workers[(place + turn) % workers.length]!;
    if (!least || loadOf(worker) < loadOf(least)) least = worker;
  }
  const known = recent === undefined ? undefined : workers.find(({ key }) => key === recent);
  return least && known && isSimilar(known, least) ? known : least;
}

const loadOf = ({ inFlight, capacity }: WorkerNow): number => inFlight / capacity;

const isSimilar = (one: WorkerNow, least: WorkerNow): boolean =>
  one.inFlight < one.capacity && one.inFlight - least.inFlight <= Math.max(1, Math.floor(one.capacity * SIMILAR_SHARE));
