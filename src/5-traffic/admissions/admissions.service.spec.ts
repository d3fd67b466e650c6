import { setImmediate as turnIsOver } from 'node:timers/promises';
import type { KeyVerifier } from '../../1-platform/auth/bearers/key-verifier';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Statement, Values } from '../../1-platform/database/transactions/statement';
import { eventually } from '../../../test/support/eventually';
import type { AskedAdmission } from './admissions.queries';
import { AdmissionsService } from './admissions.service';

const ORG = 'org';
const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const LOCKED = Object.assign(new Error('the key is locked'), { code: '55P03' });
const DEADLOCK = Object.assign(new Error('a deadlock'), { code: '40P01' });
const INVALID = Object.assign(new Error('a value cannot be stored'), { code: '22003' });

/** A request of a key, which is the first word of its id. */
const asked = (requestId: string): AskedAdmission => ({
  keyId: keyOf(requestId),
  id: `authorization of ${requestId}`,
  requestId,
  logicalModel: 'model',
  promptTokens: null,
  routeGeneration: 1,
  reservedUsd: 1n,
  livesMs: 1_000,
  heldMs: 1_000,
  profileId: null,
});
const keyOf = (requestId: string): string => requestId.split(' ')[0] ?? '';

type Sent = readonly [statement: 'none' | 'short' | 'long' | 'before' | 'release', ...requestIds: string[]];

/** Stands for the database: the rows of keys, which others may hold. */
class FakeDatabase {
  readonly sent: Sent[] = [];
  /** Keys whose rows others hold, and what ends the wait of a patient statement for them. */
  readonly locked = new Map<string, Promise<void>>();
  /** What happens while a statement with these requests runs: it may fail. */
  meanwhile: (requestIds: readonly string[]) => Promise<void> | void = () => undefined;
  /** What it answers to a request that it does not admit. */
  refuses: (requestId: string) => { outcome: string; wait_ms?: number } | undefined = () => undefined;
  /** Requests that were admitted under their ids before; a request of another body is taken. */
  readonly before = new Map<string, { same: boolean }>();
  /** A key as it is before an admission; undefined: there is none. */
  key: { revoked: boolean; wait_ms: number | null; beyond_budget: boolean } | undefined;
  readonly look = { found: true, same: true, consumed: false, over: false, age_ms: 5 };
  resolves = true;
  private readonly expiresAt = new Date(0);

  async run({ name }: Statement, values: Values): Promise<object[]> {
    if (name.startsWith('authorize-requests')) return this.admit(values);
    await turnIsOver();
    if (name === 'authorizations-admitted') return this.admittedBefore(String(values.asked));
    if (name === 'authorization-release-expired') this.sent.push(['release', String(values.request_id)]);
    if (name === 'authorize-look-at-key') return this.key ? [this.key] : [];
    if (name === 'authorization-look') return this.look.found ? [this.look] : [];
    if (name === 'authorization-resolve') return this.resolves ? [{}] : [];
    return [];
  }

  private async admit({ request_ids: literal, waits_ms: waitsMs }: Values): Promise<object[]> {
    const ids = [...String(literal).matchAll(/"(.*?)"/g)].map(([, id = '']) => id);
    const patience = waitsMs === null ? 'none' : waitsMs === 1_000 ? 'long' : 'short';
    this.sent.push([patience, ...ids]);
    if (patience === 'long') for (const id of ids) await this.locked.get(keyOf(id));
    await turnIsOver();
    await this.meanwhile(ids);
    return ids.flatMap((id, at) => {
      if (patience !== 'long' && this.locked.has(keyOf(id))) return [];
      const admitted = { outcome: 'authorized', id: `authorization of ${id}`, route_generation: 1 };
      return [{ place: at + 1, expires_at: this.expiresAt, ...(this.refuses(id) ?? admitted) }];
    });
  }

  private admittedBefore(text: string): object[] {
    const requests = JSON.parse(text) as { request_id: string }[];
    this.sent.push(['before', ...requests.map(({ request_id: id }) => id)]);
    return requests.map(({ request_id: id }) => ({
      id: this.before.has(id) ? `authorization of ${id}` : null,
      route_generation: 1,
      expires_at: this.expiresAt,
      same: this.before.get(id)?.same ?? null,
    }));
  }
}

describe('an admission', () => {
  let database: FakeDatabase;
  let service: AdmissionsService;
  let now: number;
  let changeKey: (keyId: string) => void;

  beforeEach(() => {
    database = new FakeDatabase();
    const keys = { onChange: (forget: typeof changeKey) => (changeKey = forget) } as unknown as KeyVerifier;
    service = new AdmissionsService(database as unknown as StatementPool, keys);
    service.onModuleInit();
    // The clock stands still until a test moves it. A whole number, so that sums of it are exact.
    now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    // Whatever the requests were answered, the service keeps nothing of them.
    const { lanes } = service as unknown as { lanes: Map<string, unknown> };
    expect(lanes.size).toBe(0);
  });

  const admit = (requestId: string, repeatable = false, orgId = ORG) =>
    service.admit(orgId, asked(requestId), repeatable);
  /** What requests that arrive together are answered: their outcomes, or the errors that fail them. */
  const outcomes = async (all: readonly Promise<{ outcome: string }>[]): Promise<unknown[]> =>
    (await Promise.allSettled(all)).map((one) => (one.status === 'fulfilled' ? one.value.outcome : one.reason));

  /** Others hold the row of a key. @returns a function that ends it */
  function lock(keyId: string): () => void {
    let end = () => {};
    database.locked.set(keyId, new Promise((resolve) => (end = resolve)));
    return () => {
      database.locked.delete(keyId);
      end();
    };
  }
  const isSent = (...statement: Sent) => eventually(() => expect(database.sent).toContainEqual(statement));

  describe('of requests that arrive together', () => {
    it('takes one statement for all keys of an organisation', async () => {
      const all = ['a 1', 'b 1', 'a 2'].map((id) => admit(id));
      expect(await Promise.all(all)).toEqual(
        ['a 1', 'b 1', 'a 2'].map((id) => ({
          outcome: 'authorized',
          id: `authorization of ${id}`,
          routeGeneration: 1,
          expiresAt: new Date(0),
        })),
      );
      expect(database.sent).toEqual([['none', 'a 1', 'a 2', 'b 1']]);
    });

    it('has room for other keys, however many requests one key has', async () => {
      const many = Array.from({ length: 300 }, (_, n) => admit(`a ${n}`));
      const other = admit('b 1');
      await Promise.all([...many, other]);
      const first: readonly string[] = database.sent[0] ?? [];
      expect([first.length, first.includes('b 1')]).toEqual([1 + 64 + 1, true]);
      expect(Math.max(...database.sent.map(({ length }) => length - 1))).toBeLessThanOrEqual(128);
    });

    it('has a statement of its own for each organisation', async () => {
      await Promise.all([admit('a 1'), admit('b 1', false, 'another')]);
      expect(database.sent).toEqual([
        ['none', 'a 1'],
        ['none', 'b 1'],
      ]);
    });
  });

  describe('of a key whose row others hold', () => {
    it('waits for a moment, then apart, and nobody else waits for it', async () => {
      const unlock = lock('held');
      const held = [admit('held 1'), admit('held 2')];
      expect(await outcomes([admit('b 1')])).toEqual(['authorized']);
      await isSent('long', 'held 1', 'held 2');
      // Others are admitted meanwhile, each with one statement.
      expect(await outcomes([admit('b 2')])).toEqual(['authorized']);
      // Others of the key join the queue of the key, without any other statement.
      held.push(admit('held 3'));
      expect(await outcomes([admit('b 3')])).toEqual(['authorized']);
      unlock();
      expect(await outcomes(held)).toEqual(['authorized', 'authorized', 'authorized']);
      expect(database.sent).toEqual([
        ['none', 'held 1', 'held 2', 'b 1'],
        ['short', 'held 1', 'held 2'],
        ['long', 'held 1', 'held 2'],
        ['none', 'b 2'],
        ['none', 'b 3'],
        ['long', 'held 3'],
      ]);
      // When nobody of the key waits, it shares statements again.
      expect(await outcomes([admit('held 4')])).toEqual(['authorized']);
      expect(database.sent.at(-1)).toEqual(['none', 'held 4']);
    });

    it('is decided by the second statement if the others hold it for a moment only', async () => {
      const unlock = lock('held');
      database.meanwhile = () => {
        if (database.sent.length === 2) unlock();
      };
      expect(await outcomes([admit('held 1')])).toEqual(['authorized']);
      expect(database.sent.map(([patience]) => patience)).toEqual(['none', 'short']);
    });

    it.each([
      ['the key is locked', LOCKED],
      ['there is a deadlock', DEADLOCK],
      ['the database is away', AWAY],
    ])('fails all requests of the key together if its patience ends: %s', async (_reason, error) => {
      const unlock = lock('held');
      const held = [admit('held 1'), admit('held 2')];
      const failed = outcomes(held);
      await isSent('long', 'held 1', 'held 2');
      database.meanwhile = () => {
        throw error;
      };
      unlock();
      expect(await failed).toEqual([error, error]);
      expect(database.sent).toHaveLength(3);
    });

    /**
     * The statement of a request that arrives while one of its key waits apart.
     * @param decides what happens while the statement before that one decides on the first two
     */
    async function statementOfNext(decides: (requestIds: readonly string[]) => void): Promise<Sent | undefined> {
      let goOn = () => {};
      const waits = new Promise<void>((resolve) => (goOn = resolve));
      const unlock = lock('held');
      const all = [admit('held 1'), admit('held 2')];
      await isSent('long', 'held 1', 'held 2');
      database.meanwhile = (ids) => {
        if (ids.includes('held waiting')) return waits;
        return ids.some((id) => ['held 1', 'held 2'].includes(id)) ? decides(ids) : undefined;
      };
      all.push(admit('held waiting'));
      unlock();
      await isSent('long', 'held waiting');
      const other = admit('b 1');
      all.push(admit('held next'));
      await other;
      goOn();
      await Promise.allSettled(all);
      return database.sent.find((one) => one.includes('held next'));
    }

    it.each<[reason: string, decides: (requestIds: readonly string[]) => void]>([
      ['waited for others', () => (now += 51)],
      [
        'failed',
        () => {
          throw LOCKED;
        },
      ],
      [
        'failed for one of several requests',
        (ids) => {
          if (ids.includes('held 1')) throw INVALID;
        },
      ],
    ])('queues behind others of the key if the last statement apart %s', async (_reason, decides) => {
      expect(await statementOfNext(decides)).toEqual(['long', 'held next']);
    });

    it('shares a statement again if the last one apart waited for nobody', async () => {
      expect(await statementOfNext(() => (now += 50))).toEqual(['none', 'b 1', 'held next']);
    });
  });

  describe('that shares a statement which fails', () => {
    const failsWith = (requestId: string, error: Error) => {
      database.meanwhile = (ids) => {
        if (ids.includes(requestId)) throw error;
      };
    };

    it('is repeated apart, so only the request that cannot be admitted fails', async () => {
      failsWith('a bad', INVALID);
      const all = ['a 1', 'a bad', 'b 1', 'a 2'].map((id) => admit(id));
      expect(await outcomes(all)).toEqual(['authorized', INVALID, 'authorized', 'authorized']);
      expect(database.sent).toEqual([
        ['none', 'a 1', 'a bad', 'a 2', 'b 1'],
        ['long', 'a 1', 'a bad', 'a 2'],
        ['long', 'b 1'],
        ['long', 'a 1'],
        ['long', 'a bad'],
        ['long', 'a 2'],
      ]);
    });

    it('fails at once if the database is away: nobody waits for it a second time', async () => {
      failsWith('a 1', AWAY);
      expect(await outcomes([admit('a 1'), admit('b 1')])).toEqual([AWAY, AWAY]);
      expect(database.sent).toHaveLength(1);
    });
  });

  describe('of a key that has used up its rate', () => {
    beforeEach(() => {
      database.refuses = () => ({ outcome: 'rate', wait_ms: 200 });
    });

    it('is refused without a statement until the next request fits', async () => {
      expect(service.refusedForMs('a')).toBe(0);
      expect(await admit('a 1')).toEqual({ outcome: 'rate', waitMs: 200 });
      now += 150;
      expect(await admit('a 2')).toEqual({ outcome: 'rate', waitMs: 50 });
      expect(service.refusedForMs('a')).toBe(50);
      expect(database.sent).toHaveLength(1);
      // Other keys are asked for.
      expect(service.refusedForMs('b')).toBe(0);
      await admit('b 1');
      expect(database.sent).toHaveLength(2);
      now += 50;
      database.refuses = () => undefined;
      expect(service.refusedForMs('a')).toBe(0);
      expect(await outcomes([admit('a 3')])).toEqual(['authorized']);
    });

    it('stays refused as long as the longest answer says', async () => {
      const waits = [30, 200, 10];
      database.refuses = () => ({ outcome: 'rate', wait_ms: waits.shift() ?? 0 });
      await Promise.all([admit('a 1'), admit('a 2'), admit('a 3')]);
      expect(service.refusedForMs('a')).toBe(200);
    });

    it('is forgotten when its time is over, and not before', async () => {
      const { refusedUntil } = service as unknown as { refusedUntil: Map<string, number> };
      database.refuses = (id) => ({ outcome: 'rate', wait_ms: id === 'b 1' ? 5_000 : 20 });
      await Promise.all([admit('a 1'), admit('b 1'), admit('c 1')]);
      now += 20;
      database.refuses = () => ({ outcome: 'rate', wait_ms: 5_000 });
      await admit('c 2');
      await eventually(() => expect(refusedUntil.has('a')).toBe(false));
      expect([...refusedUntil.keys()]).toEqual(['b', 'c']);
    });

    it('is asked for again once it was changed, also while it was refused, and no other key is', async () => {
      await Promise.all([admit('a 1'), admit('b 1')]);
      changeKey('a');
      expect([service.refusedForMs('a'), service.refusedForMs('b')]).toEqual([0, 200]);
      database.meanwhile = () => Promise.resolve(changeKey('a'));
      expect(await outcomes([admit('a 2')])).toEqual(['rate']);
      expect(service.refusedForMs('a')).toBe(0);
    });

    it('is answered as before if its id was admitted before, and refused otherwise', async () => {
      await admit('a 1');
      database.before.set('a admitted', { same: true }).set('a taken', { same: false });
      const all = ['a admitted', 'a taken', 'a new'].map((id) => admit(id, true));
      expect(await outcomes(all)).toEqual(['authorized', 'taken', 'rate']);
      expect(database.sent.slice(1)).toEqual([['before', 'a admitted', 'a taken', 'a new']]);
      // An id of the service's own was never sent before.
      expect(await outcomes([admit('a admitted')])).toEqual(['rate']);
      expect(database.sent).toHaveLength(2);
    });

    it('is remembered for refusals of the rate only', async () => {
      database.refuses = () => ({ outcome: 'budget', wait_ms: 200 });
      expect(await outcomes([admit('a 1'), admit('a 2')])).toEqual(['budget', 'budget']);
      expect(service.refusedForMs('a')).toBe(0);
    });
  });

  describe('of a request whose authorization expired unused', () => {
    it('closes that one and is repeated', async () => {
      database.refuses = () => (database.sent.length < 5 ? { outcome: 'expired' } : undefined);
      expect(await outcomes([admit('a 1')])).toEqual(['authorized']);
      expect(database.sent).toEqual([
        ['none', 'a 1'],
        ['release', 'a 1'],
        ['none', 'a 1'],
        ['release', 'a 1'],
        ['none', 'a 1'],
      ]);
    });

    it('is refused as busy after five tries, with pauses before the last ones', async () => {
      database.refuses = () => ({ outcome: 'expired' });
      const began = Date.now();
      await expect(admit('a 1')).rejects.toMatchObject({ status: 503, code: 'authorization_busy' });
      expect(Date.now() - began).toBeGreaterThan(65);
      expect(database.sent.filter(([statement]) => statement === 'none')).toHaveLength(5);
    });
  });

  describe('that may not be worth asking for', () => {
    const open = { revoked: false, wait_ms: null, beyond_budget: false };

    it.each([
      [undefined, open],
      [{ outcome: 'revoked' }, undefined],
      [{ outcome: 'revoked' }, { ...open, revoked: true }],
      [
        { outcome: 'rate', waitMs: 7 },
        { ...open, wait_ms: 7 },
      ],
      [{ outcome: 'budget' }, { ...open, beyond_budget: true }],
    ])('would be refused with %j for the key %j', async (refusal, key) => {
      database.key = key;
      expect(await service.refusal(ORG, 'a', 1n)).toEqual(refusal);
    });
  });

  describe('that is sent to a profile', () => {
    const resolve = () =>
      service.resolve(ORG, {
        authorizationId: 'authorization',
        requestId: 'a 1',
        logicalModel: 'model',
        profileId: 'profile',
        heldMs: 1_000,
        whateverItsAge: false,
      });

    it('meets no obstacle if it is open', async () => {
      expect(await resolve()).toBeUndefined();
    });

    it.each([
      ['unknown', { found: false }],
      ['another', { same: false }],
      ['consumed', { consumed: true }],
      ['expired', { over: true }],
      // Another request had it, and has let it go.
      ['consumed', {}],
    ])('meets the obstacle that it is %s: %j', async (obstacle, seen) => {
      database.resolves = false;
      Object.assign(database.look, seen);
      expect(await resolve()).toBe(obstacle);
    });
  });
});
