import { mock } from 'node:test';
import { setImmediate as turnIsOver, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Problem } from '../../1-platform/common/answers/problem';
import type { Environment } from '../../1-platform/config/environment';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Statement, Values } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import type { Sweep, Sweeps } from '../../1-platform/scheduling/sweeps';
import type { UsageRow } from '../usage/usage.queries';
import { SettlementsService } from './settlements.service';

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const LOCKED = Object.assign(new Error('a key is locked'), { code: '55P03' });
const SLOW = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
const INVALID = Object.assign(new Error('a value cannot be stored'), { code: '22003' });
const LOST = 'the usage of requests is lost; they stay charged as reserved';

const notWritten = (count: number) => `usage was not written, of requests that stay charged as reserved: ${count}`;

/** Of a key, or of none. */
const row = (id: string, keyId: string | null = 'key', orgId = 'org'): UsageRow =>
  ({ org_id: orgId, request_id: id, key_id: keyId, began_ms_ago: 0, credited_start_id: null, repeated: 0 }) as UsageRow;

/** Stands for the database: what a statement finds there is up to the test. */
class FakeDatabase {
  /** The requests of each statement that was sent. */
  readonly sent: { readonly ids: string[]; readonly at: number; readonly durable: unknown }[] = [];
  readonly written: string[] = [];
  /** Fails as the statement does. */
  decides: (ids: readonly string[]) => Promise<void> | void = () => undefined;
  end: () => Promise<void> = () => Promise.reject(new Error('nobody writes at the end'));

  async run(_statement: Statement, values: () => Values): Promise<[]> {
    const { each_request_id: literal, durable } = values();
    const ids = [...String(literal).matchAll(/"(.*?)"/g)].map(([, id = '']) => id);
    this.sent.push({ ids, at: performance.now(), durable });
    await turnIsOver();
    await this.decides(ids);
    this.written.push(...ids);
    return [];
  }

  beforeEnd(work: () => Promise<void>): void {
    this.end = work;
  }
}

describe('results of requests', () => {
  let database: FakeDatabase;
  let service: SettlementsService;
  let sweeps: Map<string, Sweep>;
  let warn: jest.Mock;
  let error: jest.Mock;
  /** Of the fake transactions, by the name of the statement: how many rows it found. */
  let found: Record<string, number>;
  let heldKeys: string[];
  /** Keys whose rows are not free in time for who waits for them. */
  let lockedKeys: string[];
  let failing: string | undefined;
  let fault: Error;
  let prepared: { readonly name: string; readonly values: Values }[];
  /** Lets a statement that waits go on. */
  let goOn = () => {};

  beforeEach(() => {
    database = new FakeDatabase();
    sweeps = new Map();
    [warn, error] = [jest.fn(), jest.fn()];
    [found, prepared, heldKeys, lockedKeys, failing, fault] = [{}, [], [], [], undefined, LOCKED];
    let keyId: unknown;
    const tx = {
      prepared: ({ name }: Statement, values: Values) => {
        prepared.push({ name, values });
        const rows = found[name] ?? 0;
        if (name === failing) return Promise.reject(fault);
        if (name.endsWith('-keys')) {
          keyId = values.key_id;
          return Promise.resolve((keyId === undefined ? heldKeys : []).map((key_id) => ({ key_id })));
        }
        if (lockedKeys.includes(String(keyId))) return Promise.reject(LOCKED);
        return Promise.resolve(name.endsWith('forget') ? Array.from({ length: rows }, () => ({})) : [{ closed: rows }]);
      },
    } as unknown as Tx;
    service = new SettlementsService(
      database as unknown as StatementPool,
      { system: (_reason: string, work: (one: Tx) => unknown) => work(tx) } as unknown as UnitOfWork,
      {
        add: (sweep: Sweep) => sweeps.set(sweep.name, sweep),
        repeat: (atOnce: number, work: (most: number) => Promise<number>) => work(atOnce),
      } as unknown as Sweeps,
      { usageRetentionDays: 400 } as Environment,
      { warn, error } as unknown as Logger,
    );
    service.onModuleInit();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    goOn();
  });

  const blocked = (): void => {
    const open = new Promise<void>((resolve) => (goOn = resolve));
    database.decides = () => open;
  };
  /** Whether it is over, after it could go on. */
  async function isOver(work: Promise<unknown>): Promise<boolean> {
    let over = false;
    void work.finally(() => (over = true)).catch(() => undefined);
    await sleep(50);
    return over;
  }
  const backlog = expect.objectContaining({ status: 503, code: 'usage_backlog' });
  const outcomes = async (all: Promise<unknown>[]): Promise<unknown[]> =>
    (await Promise.allSettled(all)).map((one) => (one.status === 'fulfilled' ? 'written' : one.reason.cause));

  it('have reservations that are held on to every ten minutes, until they are known or the service ends', () => {
    // Those of jest are not the ones of modules that the files share.
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      service.onModuleInit();
      const held: unknown[] = [];
      database.run = (_statement: Statement, values: unknown) => {
        held.push((values as Values).request_ids);
        return Promise.resolve([]);
      };
      const known = service.expect({ orgId: 'org', requestId: 'one' });
      service.expect({ orgId: 'org', requestId: 'two' });
      mock.timers.tick(599_999);
      expect(held).toEqual([]);
      mock.timers.tick(1);
      expect(held).toEqual(['{"one","two"}']);
      known();
      mock.timers.tick(600_000);
      expect(held).toEqual(['{"one","two"}', '{"two"}']);
      service.onApplicationShutdown();
      mock.timers.tick(600_000);
      expect(held).toHaveLength(2);
    } finally {
      mock.timers.reset();
    }
  });

  describe('that somebody reports', () => {
    it('are on the disk when the report is answered', async () => {
      blocked();
      const reported = service.settled(row('one'));
      expect(await isOver(reported)).toBe(false);
      goOn();
      await reported;
      expect(database.sent).toMatchObject([{ ids: ['one'], durable: true }]);
      expect(database.written).toEqual(['one']);
    });

    it('are written without a wait for the disk if nobody waits for them', async () => {
      service.settle(row('one'));
      await database.end();
      expect(database.sent).toMatchObject([{ ids: ['one'], durable: false }]);
    });

    it('are refused as a backlog if the database takes more than two seconds, and are written later', async () => {
      blocked();
      await expect(service.settled(row('one'))).rejects.toEqual(backlog);
      goOn();
      await database.end();
      expect(database.written).toEqual(['one']);
    });

    it('are refused while ten thousand others wait, and accepted again when there is room', async () => {
      blocked();
      for (let n = 0; n < 9_999; n++) service.settle(row(`${n}`));
      expect([service.waiting, service.hasRoom]).toEqual([9_999, true]);
      service.checkRoom();
      service.settle(row('last'));
      expect([service.waiting, service.hasRoom]).toEqual([10_000, false]);
      expect(() => service.checkRoom()).toThrow(Problem);
      await expect(service.settled(row('refused'))).rejects.toEqual(backlog);
      goOn();
      await database.end();
      expect([service.waiting, service.hasRoom]).toEqual([0, true]);
      expect(database.written).toHaveLength(10_000);
      expect(database.written).not.toContain('refused');
      expect(database.sent.every(({ ids }) => ids.length <= 1_000)).toBe(true);
      service.checkRoom();
    });
  });

  describe('that cannot be written', () => {
    it('wait while the database is away, which is logged', async () => {
      database.decides = () => {
        if (database.sent.length === 1) throw AWAY;
      };
      expect(await outcomes([service.settled(row('one')), service.settled(row('two'))])).toEqual([
        'written',
        'written',
      ]);
      expect(database.sent.map(({ ids }) => ids)).toEqual([
        ['two', 'one'],
        ['two', 'one'],
      ]);
      expect(warn.mock.calls).toEqual([[{ err: AWAY, requests: 2 }, 'usage waits for the database']]);
      expect(error).not.toHaveBeenCalled();
    });

    it.each([
      ['the database refuses them', INVALID],
      ['the service has a defect', new TypeError('no function')],
    ])('are lost by themselves if %s, which is logged with their ids', async (_reason, fault) => {
      database.decides = (ids) => {
        if (ids.includes('bad')) throw fault;
      };
      const reported = ['one', 'bad', 'two'].map((id) => service.settled(row(id)));
      expect(await outcomes(reported)).toEqual(['written', fault, 'written']);
      expect(database.written.toSorted()).toEqual(['one', 'two']);
      expect(error.mock.calls).toEqual([[{ err: fault, requests: ['bad'] }, LOST]]);
      expect(warn).not.toHaveBeenCalled();
      // All together, and then each of them once.
      expect(database.sent).toHaveLength(4);
    });

    it('are written in smaller parts if the database does not finish all of them in time', async () => {
      const MOST = 3;
      database.decides = (ids) => {
        if (ids.length > MOST) throw SLOW;
      };
      const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
      expect(await outcomes(ids.map((id) => service.settled(row(id))))).toEqual(ids.map(() => 'written'));
      expect(database.written.toSorted()).toEqual(ids.toSorted());
      // 20, 10, 5 and 3 of them: none waits. The size that worked is kept, and now and then it is too large.
      const sizes = database.sent.map(({ ids: sent }) => sent.length);
      expect(sizes).toEqual([20, 10, 5, 3, 2, 4, 2, 2, 1, 3, 4, 2, 2, 3]);
      expect(error).not.toHaveBeenCalled();
    });

    it('are not tried with too many again and again: the size that worked is kept for later ones', async () => {
      const MOST = 100;
      let late = 0;
      database.decides = (ids) => {
        if (ids.length <= MOST) return;
        late++;
        throw SLOW;
      };
      for (let n = 0; n < 3_000; n++) service.settle(row(`r${n}`));
      await database.end();
      expect(database.written).toHaveLength(3_000);
      // Halves of each batch would be 15 late statements, three times.
      expect(late).toBeLessThan(12);
      expect(database.sent.length).toBeLessThan(70);
    });

    it('are written in larger parts again, step by step, when the database is faster', async () => {
      let most = 20;
      database.decides = (ids) => {
        if (ids.length > most) throw SLOW;
      };
      const sizesOf = async (count: number): Promise<number[]> => {
        database.sent.length = 0;
        await Promise.all(Array.from({ length: count }, (_, at) => service.settled(row(`${count} ${at}`))));
        return database.sent.map(({ ids }) => ids.length);
      };
      expect(await sizesOf(40)).toEqual([40, 20, 20]);
      most = 1_000;
      // Fewer than they may be say nothing.
      expect(await sizesOf(1)).toEqual([1]);
      for (let round = 0; round < 15; round++) await sizesOf(1_000);
      expect(await sizesOf(1_000)).toEqual([1_000]);
    });

    it('wait for the database if it does not finish a single one in time', async () => {
      database.decides = () => {
        if (database.sent.length === 1) throw SLOW;
      };
      await service.settled(row('one'));
      const [first, again] = database.sent;
      expect((again?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(490);
    });

    it('wait for a locked key in pauses, and those of other keys do not', async () => {
      let locked = true;
      database.decides = (ids) => {
        if (locked && ids.includes('held')) throw LOCKED;
        if (ids.includes('bad')) throw INVALID;
      };
      const held = service.settled(row('held', 'locked'));
      const others = [
        service.settled(row('one', 'other')),
        service.settled(row('bad', 'third')),
        // No key: of whichever organisation they are.
        service.settled(row('two', null, 'one')),
        service.settled(row('three', null, 'two')),
      ];
      expect(await outcomes(others)).toEqual(['written', INVALID, 'written', 'written']);
      expect(database.sent.slice(1).map(({ ids }) => ids)).toEqual([['held'], ['one'], ['bad'], ['two'], ['three']]);
      expect(await isOver(held)).toBe(false);
      expect(service.waiting).toBe(0);
      locked = false;
      await held;
      const [before = 0, last = 0] = database.sent.filter(({ ids }) => ids.join() === 'held').map(({ at }) => at);
      expect(last - before).toBeGreaterThan(490);
      expect(database.written).toContain('held');
    });
  });

  describe('that are still to come when the service stops', () => {
    let now: number;
    beforeEach(() => {
      now = 1_000;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });

    it('are waited for and written', async () => {
      blocked();
      const known = service.expect({ orgId: 'org', requestId: 'expected' });
      service.settle(row('one'));
      const ended = database.end();
      expect(await isOver(ended)).toBe(false);
      service.settle(row('two'));
      known();
      expect(await isOver(ended)).toBe(false);
      goOn();
      await ended;
      expect(database.written).toEqual(['one', 'two']);
    });

    it('are not waited for if there are none', async () => {
      const known = service.expect({ orgId: 'org', requestId: 'expected' });
      known();
      await database.end();
      expect(database.sent).toEqual([]);
    });

    it('are written if somebody hands them over at the end', async () => {
      service.beforeEnd(() => service.settle(row('gathered')));
      await database.end();
      expect(database.written).toEqual(['gathered']);
    });

    it('count as lost with all requests that they stand for', async () => {
      database.decides = () => {
        throw AWAY;
      };
      service.settle({ ...row('some'), repeated: 299 });
      service.settle(row('one'));
      const ended = database.end();
      now += 5_000;
      await expect(ended).rejects.toThrow(notWritten(301));
    });

    it('are waited for no longer than five seconds, which is an error of the stop', async () => {
      service.expect({ orgId: 'org', requestId: 'expected' });
      const ended = database.end();
      now += 4_999;
      expect(await isOver(ended)).toBe(false);
      now += 1;
      await expect(ended).rejects.toThrow(notWritten(1));
    });

    it('are waited for if a locked key has postponed them', async () => {
      database.decides = () => {
        if (database.sent.length === 1) throw LOCKED;
      };
      service.settle(row('one'));
      while (database.sent.length === 0 || service.waiting > 0) await turnIsOver();
      await database.end();
      expect(database.written).toEqual(['one']);
      // A second stop has nothing to wait for: they are expected no longer.
      await database.end();
    });

    it('are tried for five seconds while the database is away, and then logged as lost', async () => {
      database.decides = () => {
        throw AWAY;
      };
      const reported = outcomes([service.settled(row('one'))]);
      const ended = database.end();
      while (database.sent.length < 1) await turnIsOver();
      now += 4_999;
      // The last try is just in time.
      while (database.sent.length < 2) await sleep(10);
      expect(await isOver(ended)).toBe(false);
      expect(error).not.toHaveBeenCalled();
      now += 1;
      await expect(ended).rejects.toThrow(notWritten(1));
      expect(await reported).toEqual([AWAY]);
      expect(error.mock.calls).toEqual([[{ err: AWAY, requests: ['one'] }, LOST]]);
    });

    it('are tried once more and then logged as lost, if a locked key postpones them until the time is over', async () => {
      database.decides = () => {
        throw LOCKED;
      };
      service.settle(row('one'));
      while (database.sent.length === 0 || service.waiting > 0) await turnIsOver();
      const ended = database.end();
      now += 5_000;
      await expect(ended).rejects.toThrow(notWritten(1));
      expect(database.sent).toHaveLength(2);
      expect(error.mock.calls).toEqual([[{ err: LOCKED, requests: ['one'] }, LOST]]);
    });

    it.each([
      // The first one is postponed, and comes back once.
      ['all keys are locked', LOCKED, [8, 1, 1, 1], 8],
      // The first one was lost before the time was over.
      ['the database refuses them', INVALID, [8, 1, 1], 7],
    ])(
      'are given up together when the time is over, however many are tried apart because %s',
      async (_why, fault, sizes, lost) => {
        database.decides = () => {
          if (database.sent.length === 3) now += 5_001;
          throw fault;
        };
        for (let n = 0; n < 8; n++) service.settle(row(`r${n}`, `key of ${n}`));
        await expect(database.end()).rejects.toThrow(notWritten(lost));
        expect(database.sent.map(({ ids }) => ids.length)).toEqual(sizes);
        expect(error.mock.calls).toContainEqual([
          { err: expect.any(Error), requests: ['r2', 'r3', 'r4', 'r5', 'r6', 'r7'] },
          LOST,
        ]);
      },
    );

    it('end without an error if only earlier ones were lost', async () => {
      database.decides = () => {
        throw INVALID;
      };
      expect(await outcomes([service.settled(row('bad'))])).toEqual([INVALID]);
      await database.end();
    });
  });

  it('are given up when the service must stop, however many parts the database is too slow for', async () => {
    let now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    database.decides = () => {
      if (database.sent.length === 3) now += 5_001;
      throw SLOW;
    };
    const ids = Array.from({ length: 8 }, (_, at) => `r${at}`);
    for (const id of ids) service.settle(row(id));
    await expect(database.end()).rejects.toThrow(notWritten(8));
    expect(database.sent.map(({ ids: sent }) => sent.length)).toEqual([8, 4, 2]);
    const lost = error.mock.calls.flatMap(([{ requests }]: [{ requests: string[] }]) => requests);
    expect(lost.toSorted()).toEqual(ids);
  });

  describe('that nobody reports', () => {
    const names = () => prepared.map(({ name }) => name).filter((name) => !name.endsWith('-keys'));
    const expire = () => sweeps.get('authorizations')?.run();
    const BOTH = ['authorizations-charge', 'authorizations-release'];

    it('are charged, and unused reservations are given back, every two seconds', async () => {
      const sweep = sweeps.get('authorizations');
      expect(sweep?.everySeconds).toBe(2);
      expect(await sweep?.run()).toBeUndefined();
      expect(names()).toEqual(BOTH);
    });

    it.each(BOTH)('are looked for again at once if there were too many for one turn of %s', async (statement) => {
      found[statement] = 1_000;
      expect(await expire()).toBe(0);
      expect(names()).toEqual(BOTH);
    });

    it('are given back also if the charge of others fails, which the round reports', async () => {
      failing = 'authorizations-charge';
      await expect(expire()).rejects.toBe(LOCKED);
      expect(names()).toEqual(BOTH);
    });

    it('are left out while somebody holds their key, and closed apart when whoever waits for it gets it', async () => {
      heldKeys = ['one', 'two'];
      await expire();
      const closed = prepared.filter(({ name }) => BOTH.includes(name));
      expect(closed.map(({ name, values }) => [name, values.held_keys])).toEqual([
        ...BOTH.map((name) => [name, '{"one","two"}']),
        ...[...BOTH, ...BOTH].map((name) => [name, '{}']),
      ]);
      expect(waitedFor()).toEqual(['one', 'one', 'two', 'two']);
      expect(warn).not.toHaveBeenCalled();
    });
    const waitedFor = () => prepared.map(({ values }) => values.key_id).filter((id) => id !== undefined);

    it('are waited for key by key: those of four in a round, each in its turn', async () => {
      heldKeys = ['one', 'two', 'three', 'four', 'five', 'six'];
      lockedKeys = heldKeys;
      const rounds: unknown[][] = [];
      for (let round = 0; round < 3; round++) {
        prepared = [];
        await expire();
        rounds.push(waitedFor());
      }
      expect(rounds).toEqual([
        ['one', 'two', 'three', 'four'],
        ['five', 'six', 'one', 'two'],
        ['three', 'four', 'five', 'six'],
      ]);
    });

    it('are closed for the other keys if the close for one fails, which the round reports', async () => {
      heldKeys = ['one', 'two'];
      [failing, fault] = ['authorizations-other-keys', new Error('the disk is full')];
      await expect(expire()).rejects.toBe(fault);
      expect(waitedFor()).toEqual(['one', 'two']);
    });

    it('are not logged as those of locked keys while their keys only wait for their turns', async () => {
      heldKeys = Array.from({ length: 24 }, (_, n) => `key ${n}`);
      const waited: unknown[] = [];
      for (let round = 0; round < 6; round++) {
        prepared = [];
        await expire();
        waited.push(...waitedFor());
      }
      expect(new Set(waited).size).toBe(24);
      expect(warn).not.toHaveBeenCalled();
      // One is locked indeed: every sixth round waits for it, the fifth time in the 25th one.
      lockedKeys = ['key 0'];
      for (let round = 0; round < 24; round++) await expire();
      expect(warn).not.toHaveBeenCalled();
      await expire();
      expect(warn.mock.calls.map(([{ keys }]: [{ keys: unknown }]) => keys)).toEqual([['key 0']]);
      for (let round = 0; round < 6; round++) await expire();
      expect(warn).toHaveBeenCalledTimes(1);
    });

    it('are logged once when their key was waited for five times in a row, in vain', async () => {
      [heldKeys, lockedKeys] = [
        ['one', 'two'],
        ['one', 'two'],
      ];
      const rounds = async (count: number) => {
        for (let round = 0; round < count; round++) await expire();
      };
      await rounds(4);
      expect(warn).not.toHaveBeenCalled();
      await rounds(4);
      const text = 'inference keys are locked: their expired reservations stand until they are free';
      expect(warn.mock.calls).toEqual([[{ keys: ['one', 'two'] }, text]]);
      // One of them was free in between.
      lockedKeys = ['two'];
      await rounds(1);
      lockedKeys = ['one', 'two'];
      await rounds(4);
      expect(warn).toHaveBeenCalledTimes(1);
      await rounds(1);
      expect(warn.mock.calls.slice(1)).toEqual([[{ keys: ['one'] }, text]]);
    });

    it('are forgotten after a week, and records of usage after the days of the settings', async () => {
      const sweep = sweeps.get('usage history');
      expect(sweep?.everySeconds).toBe(21_600);
      await sweep?.run();
      expect(prepared.slice(0, 2)).toEqual([
        { name: 'authorizations-forget', values: { days: 7, limit: 5_000 } },
        { name: 'usage_records-forget', values: { days: 400, limit: 5_000 } },
      ]);
    });
  });
});
