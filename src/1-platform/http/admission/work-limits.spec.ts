import { BOUNDED_WORK, type BoundedWork } from '../../endpoints/work';
import { Lane, WorkLimits, type Waiter } from './work-limits';

const WINDOW_MS = 100;

class Client implements Waiter {
  constructor(readonly sender = 'somebody') {}

  state: 'new' | 'waiting' | 'under way' | 'refused' = 'new';
  begin(): void {
    this.state = 'under way';
  }
  refuse(): void {
    this.state = 'refused';
  }
  /** @returns the immediate result */
  ask(lane: Lane, now = 0): string {
    if (lane.enter()) this.state = 'under way';
    else if (lane.refuses(this.sender)) this.state = 'refused';
    else {
      lane.wait(this, now);
      this.state = 'waiting';
    }
    return this.state;
  }
}

/** By default of as many senders. */
const askMany = (lane: Lane, count: number, now = 0, sender?: string): Client[] =>
  Array.from({ length: count }, (_, n) => {
    const client = new Client(sender ?? String(n));
    client.ask(lane, now);
    return client;
  });

const tally = (clients: readonly Client[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { state } of clients) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
};

describe('a class of work', () => {
  it('admits requests up to its limit, queues a burst, and refuses the rest at once', () => {
    const lane = new Lane({ most: 4, least: 1, room: 16 });
    expect(tally(askMany(lane, 24))).toEqual({ 'under way': 4, waiting: 16, refused: 4 });
    expect(lane).toMatchObject({ held: 4, waiting: 16, admitted: 4, refused: 4 });
  });

  it('serves its queue in order, and lets no newcomer overtake it', () => {
    const lane = new Lane({ most: 1, least: 1 });
    const [, second, third] = askMany(lane, 3);
    lane.leave();
    expect([second?.state, third?.state]).toEqual(['under way', 'waiting']);
    expect(new Client().ask(lane)).toBe('waiting');
    lane.leave();
    expect(third?.state).toBe('under way');
  });

  it('serves a long queue of requests that leave their place while they begin', () => {
    const lane = new Lane({ most: 1, least: 1, room: 20_000 });
    const order: number[] = [];
    for (let n = 0; n <= 20_000; n++) {
      if (lane.enter()) continue;
      const begin = (): void => {
        order.push(n);
        lane.leave();
      };
      lane.wait({ sender: String(n), begin, refuse: () => {} }, 0);
    }
    lane.leave();
    expect(order).toEqual(Array.from({ length: 20_000 }, (_, n) => n + 1));
    expect(lane).toMatchObject({ held: 0, waiting: 0, admitted: 20_001 });
  });

  it('lets senders take turns, so that many requests of one delay the others by one each', () => {
    const lane = new Lane({ most: 1, least: 1, room: 32 });
    askMany(lane, 1, 0, 'greedy');
    const greedy = askMany(lane, 10, 0, 'greedy');
    const [modest] = askMany(lane, 1, 0, 'modest');
    const [late] = askMany(lane, 1, 0, 'late');
    const served: string[] = [];
    for (let n = 0; n < 5; n++) {
      const waited = [...greedy, modest, late].filter((one) => one?.state === 'waiting');
      lane.leave();
      served.push(...waited.filter((one) => one?.state === 'under way').map((one) => one?.sender ?? ''));
    }
    expect(served).toEqual(['greedy', 'modest', 'late', 'greedy', 'greedy']);
    // The requests of one are served in order of arrival.
    expect(greedy.map(({ state }) => state === 'under way')).toEqual([true, true, true, ...Array(7).fill(false)]);
  });

  it('gives a sender its share of the room back when its requests leave', () => {
    const lane = new Lane({ most: 1, least: 1, room: 4 });
    askMany(lane, 1, 0, 'other');
    const [first, , third, fourth] = askMany(lane, 4, 0, 'greedy');
    expect([third?.state, fourth?.state]).toEqual(['waiting', 'refused']);
    lane.forget(first as Client);
    expect(new Client('greedy').ask(lane)).toBe('waiting');
    expect(new Client('greedy').ask(lane)).toBe('refused');
    // One that is forgotten twice gives back one place.
    lane.forget(third as Client);
    lane.forget(third as Client);
    expect([new Client('greedy').ask(lane), new Client('greedy').ask(lane)]).toEqual(['waiting', 'refused']);
  });

  it('counts what it admits from its queue and what it refuses to readmit', () => {
    const lane = new Lane({ most: 1, least: 1, room: 2 });
    askMany(lane, 3);
    lane.leave();
    expect(lane.admitted).toBe(2);
    const none = new Lane({ most: 1, least: 1, room: 0 });
    expect(none.waitAgain(new Client(), 0)).toBe(false);
    expect(none).toMatchObject({ refused: 1, wantsMore: true });
  });

  it('lets nobody enter while others wait, even if it has a place', () => {
    const lane = new Lane({ most: 1, least: 1 });
    const waiting = askMany(lane, 2);
    lane.limit = 2;
    expect([waiting[1]?.state, lane.enter()]).toEqual(['waiting', false]);
    expect(lane.waitAgain(new Client(), 0)).toBe(true);
    expect(lane.enterAgain()).toBe(false);
  });

  it('gives one place to one of several that return', () => {
    const lane = new Lane({ most: 2, least: 1 });
    askMany(lane, 2);
    const returning = [new Client(), new Client()];
    for (const client of returning) expect(lane.waitAgain(client, 0)).toBe(true);
    lane.leave();
    expect(returning.map(({ state }) => state)).toEqual(['under way', 'new']);
    expect(lane.held).toBe(2);
  });

  it('readmits a request that left its place before newcomers, and never exceeds its limit', () => {
    const lane = new Lane({ most: 2, least: 1 });
    // They leave while their bodies arrive, so all of them were admitted.
    for (let n = 0; n < 50; n++) {
      expect(lane.enter()).toBe(true);
      lane.leave();
    }
    const returning = Array.from({ length: 5 }, () => {
      const client = new Client();
      if (lane.enterAgain()) client.state = 'under way';
      else client.state = lane.waitAgain(client, 0) ? 'waiting' : 'refused';
      return client;
    });
    const newcomer = new Client();
    expect(newcomer.ask(lane)).toBe('waiting');
    expect(tally(returning)).toEqual({ 'under way': 2, waiting: 3 });
    expect(lane).toMatchObject({ held: 2, admitted: 50, waiting: 4 });
    for (let n = 0; n < 3; n++) lane.leave();
    expect([tally(returning), newcomer.state]).toEqual([{ 'under way': 5 }, 'waiting']);
    expect(lane).toMatchObject({ held: 2, admitted: 50 });
    lane.leave();
    expect(newcomer.state).toBe('under way');
  });

  it('refuses returning requests if too many of them wait, or for too long', () => {
    const lane = new Lane({ most: 1, least: 1, room: 2 });
    lane.enter();
    const returning = Array.from({ length: 3 }, () => new Client());
    expect(returning.map((client) => lane.waitAgain(client, 0))).toEqual([true, true, false]);
    lane.forget(returning[0] as Client);
    lane.expire(4_999);
    expect(returning[1]?.state).toBe('new');
    lane.expire(5_000);
    expect([returning[0]?.state, returning[1]?.state, lane.waiting]).toEqual(['new', 'refused', 0]);
  });

  it('drops a queued request when its client disconnects', () => {
    const lane = new Lane({ most: 1, least: 1 });
    const [, second, third] = askMany(lane, 3);
    lane.forget(second as Client);
    lane.leave();
    expect([second?.state, third?.state]).toEqual(['waiting', 'under way']);
  });

  it('leaves a quarter of the queue to others than the sender who fills it', () => {
    const lane = new Lane({ most: 10, least: 1, room: 40 });
    const noisy = askMany(lane, 100, 0, 'noisy');
    expect(tally(noisy)).toEqual({ 'under way': 10, waiting: 30, refused: 60 });
    expect(tally(askMany(lane, 10))).toEqual({ waiting: 10 });
    for (let n = 0; n < 10; n++) lane.leave();
    // Only one of the ten that left the queue was its own: the senders took turns.
    expect(tally(askMany(lane, 11, 0, 'noisy'))).toEqual({ waiting: 1, refused: 10 });
  });

  it('has room for others when the room shrinks below what one sender has in it', () => {
    const lane = new Lane({ most: 4, least: 1, room: 64 });
    askMany(lane, 4);
    askMany(lane, 48, 0, 'noisy');
    lane.room = 12;
    expect(new Client('noisy').ask(lane)).toBe('refused');
    // An equal part each, of the room that there is: of 12 for two senders, then of 12 for three.
    expect(tally(askMany(lane, 8, 0, 'quiet'))).toEqual({ waiting: 6, refused: 2 });
    expect(tally(askMany(lane, 8, 0, 'late'))).toEqual({ waiting: 4, refused: 4 });
    // Never more than the queue may have at most: 58 wait.
    expect(tally(askMany(lane, 9, 0))).toEqual({ waiting: 6, refused: 3 });
  });

  it('refuses requests that waited for 5 seconds', () => {
    const lane = new Lane({ most: 1, least: 1 });
    const [, early] = askMany(lane, 2, 0);
    const [late] = askMany(lane, 1, 500);
    lane.expire(4_999);
    expect(early?.state).toBe('waiting');
    lane.expire(5_000);
    expect([early?.state, late?.state]).toEqual(['refused', 'waiting']);
    expect(lane.refused).toBe(1);
  });

  it('does not count time in which the process could not work as waiting', () => {
    const lane = new Lane({ most: 1, least: 1 });
    const [, early] = askMany(lane, 2, 0);
    lane.paused(4_000);
    const [late] = askMany(lane, 1, 4_500);
    lane.expire(8_999);
    expect([early?.state, late?.state]).toEqual(['waiting', 'waiting']);
    lane.expire(9_000);
    expect([early?.state, late?.state]).toEqual(['refused', 'waiting']);
    lane.expire(9_499);
    expect(late?.state).toBe('waiting');
    lane.expire(9_500);
    expect(late?.state).toBe('refused');
  });

  it('queues only as many as began within 200 ms, once requests have waited for half a second', () => {
    const lane = new Lane({ most: 10, least: 1, room: 40 });
    askMany(lane, 50);
    lane.adjusted(400);
    expect(lane.room).toBe(40);
    for (let n = 0; n < 18; n++) lane.leave();
    // 18 began in 180 ms: 20 in 200 ms.
    lane.adjusted(180);
    expect(lane.room).toBe(20);
    expect(lane.waiting).toBe(22);
    expect(new Client().ask(lane)).toBe('refused');
    for (let n = 0; n < 3; n++) lane.leave();
    expect(new Client().ask(lane)).toBe('waiting');
  });

  it('queues a burst that arrives over 2 seconds, if its class has it and it is no larger than the queue', () => {
    const lane = new Lane({ most: 10, least: 1, room: 40, burstMs: 2_000 });
    askMany(lane, 30);
    for (let n = 0; n < 19; n++) {
      lane.leave();
      lane.adjusted(100);
    }
    askMany(lane, 20);
    // 40 of 50 found no place, and some have waited for 1,900 ms.
    expect(lane.waiting).toBe(21);
    lane.adjusted(99);
    expect(lane.room).toBe(40);
    lane.adjusted(1);
    expect(lane.room).toBe(10);
  });

  it.each([
    ['at once', [51]],
    ['in several parts', [30, 21]],
  ])('does not take more requests than the queue holds for one burst, if they come %s', (_how, parts) => {
    const lane = new Lane({ most: 10, least: 1, room: 40, burstMs: 2_000 });
    for (const part of parts) {
      askMany(lane, part);
      lane.adjusted(250);
    }
    lane.adjusted(250);
    expect(lane.room).toBe(10);
  });

  it('queues a burst again after a time without waiting requests', () => {
    const lane = new Lane({ most: 10, least: 1, room: 40 });
    askMany(lane, 50);
    lane.adjusted(1_000);
    expect(lane.room).toBe(10);
    for (let n = 0; n < 50; n++) lane.leave();
    for (let n = 0; n < 3; n++) lane.adjusted(WINDOW_MS);
    expect(lane.room).toBe(40);
  });

  it('counts anew what has arrived after a time without waiting requests', () => {
    const lane = new Lane({ most: 10, least: 1, room: 40, burstMs: 2_000 });
    for (let burst = 0; burst < 3; burst++) {
      askMany(lane, 50);
      lane.adjusted(1_000);
      expect(lane.room).toBe(40);
      for (let n = 0; n < 50; n++) lane.leave();
      lane.adjusted(WINDOW_MS);
    }
  });

  it('serves the others when the beginning of one fails', () => {
    const lane = new Lane({ most: 1, least: 1 });
    lane.enter();
    const begin = (): void => {
      throw new Error('failed');
    };
    lane.wait({ sender: 'faulty', begin, refuse: () => undefined }, 0);
    const [next] = askMany(lane, 1);
    expect(() => lane.leave()).toThrow('failed');
    lane.leave();
    expect(next?.state).toBe('under way');
  });

  it('queues a few clients however slow it is', () => {
    const lane = new Lane({ most: 8, least: 2 });
    askMany(lane, 18);
    lane.adjusted(10_000);
    expect(lane.room).toBe(8);
  });

  it('takes twice as long to refuse them while this process is busy, but less than a deadline', () => {
    let idle = 0;
    const limits = new WorkLimits(undefined, () => idle);
    const { request } = limits.lanes;
    const waiting = askMany(request, request.most + 1).at(-1);
    limits.adjust(0, WINDOW_MS);
    for (let n = 0; n < 39; n++) limits.adjust(0, WINDOW_MS);
    limits.expire(40 * WINDOW_MS);
    expect(waiting?.state).toBe('waiting');
    limits.adjust(0, WINDOW_MS);
    expect(waiting?.state).toBe('refused');

    const { heavy } = limits.lanes;
    const other = askMany(heavy, heavy.most + 1).at(-1);
    limits.adjust(0, WINDOW_MS);
    // More than a window: some of it was before.
    for (let n = 0; n < 19; n++) {
      idle += 3 * WINDOW_MS;
      limits.adjust(0, WINDOW_MS);
    }
    expect(other?.state).toBe('waiting');
    idle += WINDOW_MS;
    limits.adjust(0, WINDOW_MS);
    expect(other?.state).toBe('refused');
  });

  it('refuses waiting and new requests when nothing has ended for 2 seconds', () => {
    const lane = new Lane({ most: 2, least: 2 });
    const [, , waiting] = askMany(lane, 3);
    for (let n = 0; n < 20; n++) lane.adjusted(WINDOW_MS);
    expect(waiting?.state).toBe('waiting');
    // In the first window both began.
    lane.adjusted(WINDOW_MS);
    expect(waiting?.state).toBe('refused');
    expect(new Client().ask(lane)).toBe('refused');
    lane.adjusted(WINDOW_MS);
    expect(new Client().ask(lane)).toBe('refused');
    lane.leave();
    expect(new Client().ask(lane)).toBe('under way');
    lane.adjusted(WINDOW_MS);
    expect(new Client().ask(lane)).toBe('waiting');
  });
});

describe('a full class', () => {
  const sender = (bearer: string, orgId = bearer) => ({ bearer, orgId });

  it('has a place beside its limit for a sender of whom nothing waits, and does not count it as its own', () => {
    const lane = new Lane({ most: 4, least: 1 });
    askMany(lane, 4, 0, 'greedy');
    expect(lane.enterBeside(sender('modest'))).toBe(true);
    expect(lane).toMatchObject({ held: 4, inProgress: 5, admitted: 5, mostHeld: 4, isEnding: false });
    // One for four.
    expect(lane.enterBeside(sender('late'))).toBe(false);
    lane.beside.leave(sender('modest'));
    expect(lane.inProgress).toBe(4);
    expect(lane.enterBeside(sender('late'))).toBe(true);
  });

  it('gives a sender of whom requests wait no place beside its limit, and nobody two of them', () => {
    const lane = new Lane({ most: 8, least: 1 });
    askMany(lane, 9, 0, 'greedy');
    expect(lane.enterBeside(sender('greedy'))).toBe(false);
    expect([lane.enterBeside(sender('modest')), lane.enterBeside(sender('modest'))]).toEqual([true, false]);
    expect(lane.enterBeside(sender('late'))).toBe(true);
  });

  it('begins what waits as soon as one of its places is free, whoever is beside its limit', () => {
    const lane = new Lane({ most: 4, least: 1 });
    const [, , , , waiting] = askMany(lane, 5, 0, 'greedy');
    lane.enterBeside(sender('modest'));
    lane.leave();
    expect([waiting?.state, lane.inProgress]).toEqual(['under way', 5]);
  });

  it('has no place beside its limit while nothing ends, nor if it never queues, nor beside three or fewer', () => {
    const lane = new Lane({ most: 4, least: 1 });
    askMany(lane, 4);
    for (let n = 0; n < 21; n++) lane.adjusted(WINDOW_MS);
    expect(lane.enterBeside(sender('modest'))).toBe(false);
    expect(new Lane({ most: 4, least: 4, room: 0 }).enterBeside(sender('modest'))).toBe(false);
    expect(new Lane({ most: 3, least: 1 }).enterBeside(sender('modest'))).toBe(false);
  });
});

describe('a class whose limit fell', () => {
  it('goes on while requests end, although none begins for 2 seconds', () => {
    const lane = new Lane({ most: 32, least: 4 });
    askMany(lane, 32);
    lane.adjusted(WINDOW_MS);
    lane.limit = 4;
    const [waiting] = askMany(lane, 1);
    for (let n = 0; n < 25; n++) {
      lane.leave();
      lane.adjusted(WINDOW_MS);
    }
    expect(lane.held).toBe(7);
    expect([waiting?.state, new Client().ask(lane)]).toEqual(['waiting', 'waiting']);
    for (let n = 0; n < 4; n++) lane.leave();
    expect(waiting?.state).toBe('under way');
  });
});

describe('the limits of all classes', () => {
  const bounds = Object.fromEntries(BOUNDED_WORK.map((work) => [work, { most: 64, least: 4 }])) as Record<
    BoundedWork,
    { most: number; least: number }
  >;
  const fill = (limits: WorkLimits, work: BoundedWork, count: number): void => void askMany(limits.lanes[work], count);
  const limitsOf = ({ lanes }: WorkLimits): number[] => BOUNDED_WORK.map((work) => lanes[work].limit);
  /** Ends the requests in progress, so that a cut takes effect. */
  const drain = ({ lanes }: WorkLimits, work: BoundedWork): void => {
    while (lanes[work].held > lanes[work].limit) lanes[work].leave();
  };

  it('fall for the least important active class, and by less the smaller the delay is', () => {
    const limits = new WorkLimits(bounds);
    fill(limits, 'report', 40);
    fill(limits, 'request', 20);
    limits.adjust(10, WINDOW_MS);
    // Half of the requests in progress.
    expect(limitsOf(limits)).toEqual([64, 64, 64, 10, 64, 64]);
    drain(limits, 'request');
    limits.adjust(1.25, WINDOW_MS);
    expect(limitsOf(limits)).toEqual([64, 64, 64, 8, 64, 64]);
  });

  it('fall for a more important class only if those below it are at their minimum', () => {
    const limits = new WorkLimits(bounds);
    fill(limits, 'report', 40);
    fill(limits, 'request', 8);
    limits.adjust(10, WINDOW_MS);
    drain(limits, 'request');
    limits.adjust(10, WINDOW_MS);
    expect(limitsOf(limits)).toEqual([20, 64, 64, 4, 64, 64]);
  });

  it('wait for the effect of a cut, but not forever', () => {
    const limits = new WorkLimits(bounds);
    fill(limits, 'heavy', 64);
    limits.adjust(10, WINDOW_MS);
    for (let n = 0; n < 4; n++) limits.adjust(10, WINDOW_MS);
    expect(limits.lanes.heavy.limit).toBe(32);
    limits.adjust(10, WINDOW_MS);
    expect(limits.lanes.heavy.limit).toBe(16);
  });

  it('never fall below the minimum, whatever is measured', () => {
    const limits = new WorkLimits(bounds);
    for (let n = 0; n < 100; n++) {
      for (const work of BOUNDED_WORK) {
        fill(limits, work, 200);
        drain(limits, work);
      }
      limits.adjust(1_000, WINDOW_MS);
    }
    expect(limitsOf(limits)).toEqual([4, 4, 4, 4, 4, 4]);
  });

  it('fall further while requests are refused, as each one in progress delays the refusals', () => {
    const limits = new WorkLimits({ ...bounds, traffic: { most: 64, least: 16, leastRefusing: 4, room: 8 } });
    const { traffic } = limits.lanes;
    const adjust = (delay: number, refusing: boolean): number => {
      fill(limits, 'traffic', refusing ? 100 : traffic.limit - traffic.held);
      limits.adjust(delay, WINDOW_MS);
      while (traffic.held > traffic.limit) traffic.leave();
      return traffic.limit;
    };
    for (let n = 0; n < 10; n++) adjust(2, false);
    expect(traffic.limit).toBe(16);
    for (let n = 0; n < 10; n++) adjust(2, true);
    expect(traffic.limit).toBe(4);
    // It rises as soon as the delay is acceptable, although requests are refused: more places refuse fewer.
    expect(adjust(0.9, true)).toBe(5);
    for (let n = 0; n < 40; n++) adjust(0.9, true);
    expect(traffic.limit).toBe(64);
  });

  it('stay for a class that refuses requests while a less important one has yet to end', () => {
    const limits = new WorkLimits({ ...bounds, traffic: { most: 64, least: 16, leastRefusing: 4, room: 8 } });
    fill(limits, 'request', 64);
    limits.adjust(10, WINDOW_MS);
    fill(limits, 'traffic', 100);
    limits.adjust(10, WINDOW_MS);
    expect(limitsOf(limits)).toEqual([64, 64, 64, 32, 64, 64]);
  });

  it('fall for calm requests to their own minimum, whatever is refused elsewhere', () => {
    const limits = new WorkLimits({
      ...bounds,
      traffic: { most: 64, least: 16, leastRefusing: 4 },
      heavy: { most: 8, least: 1, room: 0 },
    });
    for (let n = 0; n < 20; n++) {
      fill(limits, 'traffic', limits.lanes.traffic.limit - limits.lanes.traffic.held);
      fill(limits, 'heavy', 20);
      limits.adjust(10, WINDOW_MS);
      drain(limits, 'traffic');
      drain(limits, 'heavy');
    }
    expect(limitsOf(limits)).toEqual([64, 16, 64, 64, 1, 64]);
  });

  it('rise again when work is not delayed, first for the most important class that refuses', () => {
    const limits = new WorkLimits(bounds);
    for (const work of ['report', 'heavy'] as const) limits.lanes[work].limit = 10;
    fill(limits, 'report', 11);
    limits.adjust(0.5, WINDOW_MS);
    expect(limitsOf(limits)).toEqual([11, 64, 64, 64, 10, 64]);
    // The waiting requests have begun.
    expect(limits.lanes.report.held).toBe(11);
    limits.adjust(0.5, WINDOW_MS);
    limits.adjust(0.5, WINDOW_MS);
    expect(limits.lanes.heavy.limit).toBeGreaterThan(10);
    for (let n = 0; n < 50; n++) limits.adjust(0, WINDOW_MS);
    expect(limitsOf(limits)).toEqual([64, 64, 64, 64, 64, 64]);
  });
});

describe('all classes', () => {
  it('queue the thousand streams that one caller begins at once', () => {
    const { traffic } = new WorkLimits().lanes;
    expect(tally(askMany(traffic, 1_000, 0, 'one'))).toEqual({ 'under way': 64, waiting: 936 });
  });

  it('queue the thousand streams of one caller that arrive over 1.5 seconds, and no such burst of others', () => {
    const { traffic, request } = new WorkLimits().lanes;
    for (let n = 0; n < 15; n++) {
      expect(tally(askMany(traffic, 66, 0, 'one')).refused).toBeUndefined();
      traffic.adjusted(WINDOW_MS);
    }
    askMany(request, 33);
    for (let n = 0; n < 5; n++) request.adjusted(WINDOW_MS);
    expect(request.room).toBe(request.most);
  });

  it('queue a thousand requests with a bearer that is not known yet, and no more than once', () => {
    const { stranger } = new WorkLimits().lanes;
    expect(tally(askMany(stranger, 1_000)).refused).toBeUndefined();
    expect(tally(askMany(stranger, 1_000)).refused).toBeGreaterThan(400);
    for (let n = 0; n < 5; n++) stranger.adjusted(WINDOW_MS);
    expect(stranger.room).toBe(stranger.most);
  });

  it('are idle while none has a request in progress or waiting', () => {
    const limits = new WorkLimits();
    const { report } = limits.lanes;
    expect(limits.isIdle).toBe(true);
    report.enter();
    expect(limits.isIdle).toBe(false);
    report.leave();
    expect(limits.isIdle).toBe(true);
    report.enterBeside({ bearer: 'modest', orgId: 'one' });
    expect(limits.isIdle).toBe(false);
    report.beside.leave({ bearer: 'modest', orgId: 'one' });
    expect(limits.isIdle).toBe(true);
    report.wait(new Client(), 0);
    expect(limits.isIdle).toBe(false);
  });

  it('pardon all who wait for the time in which the process could not work', () => {
    const limits = new WorkLimits();
    const clients = BOUNDED_WORK.map((work) => {
      const client = new Client();
      limits.lanes[work].wait(client, 1_000);
      return client;
    });
    limits.paused(10_000);
    limits.expire(15_999);
    expect(tally(clients)).toEqual({ new: clients.length });
    limits.expire(16_000);
    expect(tally(clients)).toEqual({ refused: clients.length });
  });

  it('refuse those that waited for five seconds', () => {
    const limits = new WorkLimits();
    const clients = BOUNDED_WORK.map((work) => {
      const client = new Client();
      limits.lanes[work].wait(client, 1_000);
      return client;
    });
    limits.expire(5_999);
    expect(tally(clients)).toEqual({ new: clients.length });
    limits.expire(6_000);
    expect(tally(clients)).toEqual({ refused: clients.length });
  });
});
