import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { StaleReads } from './stale-reads';

/** A pause that ends when the test says so. */
class Pauses {
  private waiting: (() => void)[] = [];

  readonly pause = (): Promise<void> => new Promise((resolve) => this.waiting.push(resolve));

  /** Ends all of them, and lets what waited for them go on. */
  async end(): Promise<void> {
    for (const resolve of this.waiting.splice(0)) resolve();
    await settled();
  }
}

/** Until everything that can happen has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what has become stale', () => {
  let client: QueryClient;
  let pauses: Pauses;
  let stale: StaleReads;
  const ends: (() => void)[] = [];

  beforeEach(() => {
    client = new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, retry: false } } });
    pauses = new Pauses();
    stale = new StaleReads(client, pauses.pause);
  });
  afterEach(() => {
    for (const end of ends.splice(0)) end();
    client.clear();
  });

  /** A query that somebody looks at. Its reads end when the test answers. */
  async function watched(queryKey: readonly unknown[]) {
    const reads: ((data: string) => void)[] = [];
    const aborted: number[] = [];
    const queryFn = ({ signal }: { signal: AbortSignal }): Promise<string> => {
      const number = reads.length;
      signal.addEventListener('abort', () => aborted.push(number));
      return new Promise((resolve) => reads.push(resolve));
    };
    const observer = new QueryObserver(client, { queryKey, queryFn });
    ends.push(observer.subscribe(() => undefined));
    reads[0]?.('first');
    await settled();
    return { reads, aborted, data: () => observer.getCurrentResult().data };
  }

  /** A list of that many pages that somebody looks at. */
  async function scrolled(pages: number) {
    const asked: number[] = [];
    const observer = new InfiniteQueryObserver(client, {
      queryKey: ['list'],
      queryFn: ({ pageParam }) => {
        asked.push(pageParam);
        return Promise.resolve(`page ${pageParam}`);
      },
      initialPageParam: 1,
      getNextPageParam: (_, all) => all.length + 1,
    });
    ends.push(observer.subscribe(() => undefined));
    await settled();
    for (let page = 1; page < pages; page++) await observer.fetchNextPage();
    await settled();
    asked.length = 0;
    return { observer, asked };
  }

  it('is read at once, and then once for all changes of a while', async () => {
    const { reads } = await watched(['summary']);
    stale.mark(['summary']);
    expect(reads).toHaveLength(2);
    reads[1]?.('second');
    await settled();
    for (let event = 0; event < 40; event++) stale.mark(['summary']);
    await settled();
    expect(reads).toHaveLength(2);
    await pauses.end();
    expect(reads).toHaveLength(3);
    reads[2]?.('third');
    await settled();
    await pauses.end();
    expect(reads).toHaveLength(3);
  });

  it('is not read while the reads of the round before have not ended, and none of them is cancelled', async () => {
    const { reads, aborted, data } = await watched(['summary']);
    stale.mark(['summary']);
    for (let event = 0; event < 20; event++) {
      stale.mark(['summary']);
      await settled();
    }
    expect([reads.length, aborted]).toEqual([2, []]);
    reads[1]?.('second');
    await settled();
    expect(data()).toBe('second');
    await pauses.end();
    expect(reads).toHaveLength(3);
  });

  it('is read once more if it was being read already: that answer may be from before the change', async () => {
    const { reads, aborted, data } = await watched(['summary']);
    void client.refetchQueries({ queryKey: ['summary'] });
    expect(reads).toHaveLength(2);
    stale.mark(['summary']);
    expect([reads.length, aborted]).toEqual([2, []]);
    reads[1]?.('from before');
    await settled();
    await pauses.end();
    expect(reads).toHaveLength(3);
    reads[2]?.('from behind');
    await settled();
    expect(data()).toBe('from behind');
    await pauses.end();
    expect(reads).toHaveLength(3);
  });

  it('is not read by a change of other things', async () => {
    const { reads } = await watched(['summary']);
    stale.mark(['clusters']);
    await settled();
    expect(reads).toHaveLength(1);
  });

  it('is all that is shown, if nobody knows what has changed', async () => {
    const [summary, clusters] = [await watched(['summary']), await watched(['clusters'])];
    stale.markAll();
    expect([summary.reads.length, clusters.reads.length]).toEqual([2, 2]);
  });

  it('is not read while nobody looks, and at once when somebody looks again', async () => {
    const { reads } = await watched(['summary']);
    stale.hold(true);
    stale.mark(['summary']);
    await settled();
    expect(reads).toHaveLength(1);
    stale.hold(false);
    expect(reads).toHaveLength(2);
  });

  it('is not read after it was forgotten', async () => {
    const { reads } = await watched(['summary']);
    stale.hold(true);
    stale.mark(['summary']);
    stale.forget();
    stale.hold(false);
    await settled();
    expect(reads).toHaveLength(1);
  });

  it('is read on although one read never ends', async () => {
    const [hanging, clusters] = [await watched(['summary']), await watched(['clusters'])];
    stale.mark(['summary']);
    stale.mark(['clusters']);
    expect(clusters.reads).toHaveLength(1);
    // The longest round, and then the gap.
    await pauses.end();
    await pauses.end();
    expect([hanging.reads.length, clusters.reads.length]).toEqual([2, 2]);
  });

  describe('in a list', () => {
    it('is read again page by page near its top', async () => {
      const { asked } = await scrolled(2);
      stale.mark(['list']);
      await settled();
      expect(asked).toEqual([1, 2]);
    });

    it('is not read again where it was scrolled far, and the next page still comes', async () => {
      const { observer, asked } = await scrolled(5);
      const next = observer.fetchNextPage({ cancelRefetch: false });
      stale.mark(['list']);
      await next;
      expect(asked).toEqual([6]);
      expect(observer.getCurrentResult().data?.pages).toHaveLength(6);
      stale.mark(['list']);
      await pauses.end();
      expect(asked).toEqual([6]);
    });
  });
});
