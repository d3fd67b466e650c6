import { setImmediate as turnIsOver } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import type { Notifications } from '../database/connections/notifications';
import type { StatementPool } from '../database/connections/statement-pool';
import type { Statement, Values } from '../database/transactions/statement';
import { OutboxFeed, type Reader } from './outbox-feed';
import { OUTBOX_CHANNEL } from './outbox.queries';

const ORG = 'org';
/** Longer than a test may take. */
const LONG_MS = 600_000;
/** As many as one statement numbers. */
const FULL = 500;

describe('the feed of events', () => {
  /** The ids of numbered events, by organisation. */
  let stored: Map<string, number[]>;
  /** How many events each statement that numbers finds; without one, it finds none. */
  let unnumbered: (number | Error)[];
  let sent: string[];
  let arrives: (orgId: string) => void;
  let resumes: () => void;
  let feed: OutboxFeed;
  /** Lets statements that number go on. */
  let numbers: Promise<void>;

  beforeEach(() => {
    [stored, unnumbered, sent, numbers] = [new Map(), [], [], Promise.resolve()];
    const run = async ({ name }: Statement, { org_id: orgId, after, limit }: Values): Promise<object[]> => {
      sent.push(name);
      if (name === 'outbox-sequence') {
        await numbers;
        const numbered = unnumbered.shift() ?? 0;
        if (typeof numbered !== 'number') throw numbered;
        return [{ numbered }];
      }
      const ids = (stored.get(String(orgId)) ?? []).filter((id) => id > Number(after));
      return ids.slice(0, Number(limit)).map((id) => ({ id, traceparent: null }));
    };
    const notifications = {
      on: (channel: string, listener: typeof arrives) => {
        expect(channel).toBe(OUTBOX_CHANNEL);
        arrives = listener;
      },
      onResumed: (listener: typeof resumes) => (resumes = listener),
    } as unknown as Notifications;
    feed = new OutboxFeed(notifications, { run } as unknown as StatementPool);
    feed.onModuleInit();
  });
  afterEach(() => {
    const { waiting, numbering } = feed as unknown as Record<'waiting' | 'numbering', Map<string, unknown>>;
    expect([waiting.size, numbering.size]).toEqual([0, 0]);
  });

  const reader = () => ({ gone: jest.fn(() => false), waits: jest.fn() }) satisfies Reader;
  const read = async (
    waitMs: number,
    one: Reader,
    { orgId = ORG, ...cursor }: { orgId?: string; after?: number; limit?: number; head?: number } = {},
  ): Promise<number[]> =>
    (await feed.next(orgId, { after: 0, limit: 10, head: 0, ...cursor }, waitMs, one)).map(({ id }) => id);
  const waitsFor = (one: ReturnType<typeof reader>, times = 1) =>
    eventually(() => expect(one.waits).toHaveBeenCalledTimes(times));
  const reads = () => sent.filter((name) => name === 'outbox-read').length;

  it('delivers what is stored at once, after it has numbered what is new', async () => {
    stored.set(ORG, [1, 2, 3]);
    const one = reader();
    expect(await read(LONG_MS, one, { after: 1 })).toEqual([2, 3]);
    expect(sent).toEqual(['outbox-sequence', 'outbox-read']);
    expect(one.waits).not.toHaveBeenCalled();
  });

  it('delivers nothing at once to a reader that does not wait', async () => {
    const one = reader();
    expect(await read(0, one)).toEqual([]);
    expect(reads()).toBe(1);
    expect(one.waits).not.toHaveBeenCalled();
  });

  it('delivers to each waiting reader of an organisation when an event of it is announced', async () => {
    const readers = [reader(), reader(), reader()];
    const events = [read(LONG_MS, readers[0]!), read(LONG_MS, readers[1]!)];
    const other = read(LONG_MS, readers[2]!, { orgId: 'another' });
    for (const one of readers) await waitsFor(one);
    const before = reads();
    arrives('nobody');
    stored.set(ORG, [1]);
    arrives(ORG);
    expect(await Promise.all(events)).toEqual([[1], [1]]);
    // Nothing was read for the other one.
    expect(reads()).toBe(before + 2);
    stored.set('another', [7]);
    arrives('another');
    expect(await other).toEqual([7]);
  });

  it('keeps a reader that waits when another one of its organisation leaves', async () => {
    const [first, second] = [reader(), reader()];
    const waiting = read(LONG_MS, first);
    await waitsFor(first);
    expect(await read(0, second)).toEqual([]);
    stored.set(ORG, [1]);
    arrives(ORG);
    expect(await waiting).toEqual([1]);
  });

  it('delivers an event that is committed while a reader looks, and is announced before it waits', async () => {
    const one = reader();
    one.waits.mockImplementationOnce(() => {
      stored.set(ORG, [1]);
      arrives(ORG);
    });
    expect(await read(LONG_MS, one)).toEqual([1]);
    expect(one.waits).toHaveBeenCalledTimes(1);
  });

  it('looks again when announcements come again, because some may be lost', async () => {
    const one = reader();
    const waiting = read(LONG_MS, one);
    await waitsFor(one);
    stored.set(ORG, [1]);
    resumes();
    expect(await waiting).toEqual([1]);
  });

  it('looks again after a second without an announcement', async () => {
    const one = reader();
    const waiting = read(LONG_MS, one);
    await waitsFor(one);
    stored.set(ORG, [1]);
    expect(await waiting).toEqual([1]);
    expect(one.waits).toHaveBeenCalledTimes(1);
  });

  it('waits no longer than the reader does', async () => {
    const one = reader();
    const began = performance.now();
    expect(await read(100, one)).toEqual([]);
    expect(performance.now() - began).toBeGreaterThan(95);
    // It looked before and after the wait, and may have waited for the rest of a millisecond.
    expect(one.waits.mock.calls.length).toBeLessThan(4);
  });

  it('delivers nothing to a reader that has gone, without another statement', async () => {
    const one = reader();
    const waiting = read(LONG_MS, one);
    await waitsFor(one);
    const before = sent.length;
    one.gone.mockReturnValue(true);
    stored.set(ORG, [1]);
    arrives(ORG);
    expect(await waiting).toEqual([]);
    expect(sent).toHaveLength(before);
  });

  it('does not wait for events for a reader that has gone while it looked', async () => {
    const one = reader();
    one.gone.mockReturnValue(true);
    expect(await read(LONG_MS, one)).toEqual([]);
    expect([reads(), one.waits.mock.calls.length]).toEqual([1, 0]);
  });

  it('numbers nothing for a reader that is a page behind, until that reader has caught up', async () => {
    stored.set(ORG, [11, 12]);
    expect(await read(0, reader(), { after: 10, limit: 2, head: 12 })).toEqual([11, 12]);
    expect(sent).toEqual(['outbox-read']);
    expect(await read(0, reader(), { after: 10, limit: 2, head: 11 })).toEqual([11, 12]);
    expect(sent).toEqual(['outbox-read', 'outbox-sequence', 'outbox-read']);
    // What it was told of is gone: it waits, and numbers like others.
    stored.set(ORG, []);
    const one = reader();
    const waiting = read(LONG_MS, one, { after: 10, limit: 2, head: 12 });
    await waitsFor(one);
    sent.length = 0;
    stored.set(ORG, [13]);
    arrives(ORG);
    expect(await waiting).toEqual([13]);
    expect(sent).toEqual(['outbox-sequence', 'outbox-read']);
  });

  describe('when it numbers', () => {
    it('goes on while there may be more', async () => {
      unnumbered = [FULL, FULL, FULL - 1, 1];
      await feed.number(ORG);
      expect(sent).toHaveLength(3);
    });

    it('does it once for those who ask meanwhile, after the run that they found', async () => {
      let goOn = () => {};
      numbers = new Promise((resolve) => (goOn = resolve));
      const first = feed.number(ORG);
      await turnIsOver();
      const later = [feed.number(ORG), feed.number(ORG), feed.number(ORG)];
      const other = feed.number('another');
      await turnIsOver();
      expect(sent).toHaveLength(2);
      goOn();
      await Promise.all([first, ...later, other]);
      expect(sent).toHaveLength(3);
      await feed.number(ORG);
      expect(sent).toHaveLength(4);
    });

    it('does it again for those who found a run that failed', async () => {
      const failure = new Error('no connection');
      unnumbered = [failure];
      let goOn = () => {};
      numbers = new Promise((resolve) => (goOn = resolve));
      const first = feed.number(ORG);
      await turnIsOver();
      const second = feed.number(ORG);
      goOn();
      await expect(first).rejects.toBe(failure);
      await second;
      expect(sent).toHaveLength(2);
    });
  });
});
