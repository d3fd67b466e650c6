import type { AskedAdmission } from '../../../../src/5-traffic/admissions/admissions.queries';
import { AdmissionsService } from '../../../../src/5-traffic/admissions/admissions.service';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { PRICED } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import {
  account,
  accountOf,
  authorize,
  authorized,
  buildModel,
  issueKey,
  letExpire,
  resolve,
  routersSee,
  sendTelemetry,
  useUpRate,
  type Authorized,
  type IssuedKey,
} from '../../../support/inference';
import { expectSoundLedger } from '../../../support/ledger';
import { report } from '../../../support/profiles';
import { inParallel, seeded } from '../../../support/random';
import { Service, type Answer, type Organisation, type Replica } from '../../../support/service';
import { SentStatements } from '../../../support/statements';

/** What a request of 1,000 tokens reserves. */
const EACH_USD = 0.002036;
const TOGETHER = 'authorize-requests';
const APART = 'authorize-requests-of-key';

interface Batch {
  readonly name: string;
  /** The key of each request. */
  readonly keys: readonly string[];
}

describe('requests of several keys', () => {
  let service: Service;
  let other: Replica;
  let org: Organisation;
  let model: string;
  let profileId: string;
  const batches: Batch[] = [];
  /** A batch is sent when this resolves. */
  let gate = Promise.resolve();

  beforeAll(async () => {
    service = await Service.start();
    other = await service.replica();
    org = await service.organisation();
    const built = await buildModel(org, [PRICED]);
    ({ model } = built);
    [profileId = ''] = built.profileIds;
    await report(org.controller, profileId);
    await routersSee(org.controller, profileId, { ready: true });
    watch(service.app.get(StatementPool));
    watch(other.app.get(StatementPool));
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await service.close();
  });
  beforeEach(() => batches.splice(0));

  function watch(statements: StatementPool): void {
    const run = statements.run.bind(statements);
    jest.spyOn(statements, 'run').mockImplementation(async (statement, values) => {
      if ([TOGETHER, APART].includes(statement.name)) {
        const { key_ids: ids } = values as { key_ids: string };
        batches.push({ name: statement.name, keys: ids.match(/[0-9a-f-]{36}/g) ?? [] });
        await gate;
      }
      return run(statement, values);
    });
  }

  const named = (name: string): Batch[] => batches.filter((one) => one.name === name);
  const newKeys = (count: number, bounds: (place: number) => JsonObject = () => ({})): Promise<IssuedKey[]> =>
    Promise.all(Array.from({ length: count }, (_, place) => issueKey(service, org, bounds(place))));
  const ask = (key: IssuedKey, overrides: JsonObject = {}): Promise<Answer> =>
    authorize(key, model, { estimated_prompt_tokens: 1_000, ...overrides });
  const askElsewhere = ({ rawKey }: IssuedKey, overrides: JsonObject = {}): Promise<Answer> =>
    authorize(other.as(rawKey), model, { estimated_prompt_tokens: 1_000, ...overrides });
  /** A busy service may refuse a request, which is repeated under its id. */
  async function decided(by: typeof ask, key: IssuedKey): Promise<Answer> {
    const request_id = newId();
    for (;;) {
      const answer = await by(key, { request_id });
      if (answer.status !== 503) return answer;
    }
  }
  const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

  /**
   * The first batch is sent when all requests have arrived, so the others go together. Only a few requests,
   * because a busy service lets no more in at once.
   */
  async function together(asks: readonly (() => Promise<Answer>)[]): Promise<Promise<Answer>[]> {
    let open = () => {};
    gate = new Promise((resolved) => (open = resolved));
    const arrived = jest.spyOn(service.app.get(AdmissionsService), 'admit');
    try {
      const asked = asks.map((one) => one());
      await eventually(() => expect(arrived.mock.calls).toHaveLength(asks.length));
      return asked;
    } finally {
      arrived.mockRestore();
      open();
    }
  }

  const requestOf = (keyId: string): AskedAdmission => ({
    keyId,
    id: newId(),
    requestId: newId(),
    logicalModel: model,
    promptTokens: null,
    routeGeneration: 1,
    reservedUsd: 1n,
    livesMs: 60_000,
    heldMs: 60_000,
    profileId: null,
  });

  /** A transaction that holds what the statement locks or writes, until it is let go. */
  async function whileHeld<T>(statement: string, values: unknown[], work: () => Promise<T>): Promise<T> {
    const client = await service.db.connect();
    try {
      await client.query('begin');
      expect((await client.query(statement, values)).rowCount).toBe(1);
      return await work();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('share statements', async () => {
    const keys = await newKeys(4);
    const asks = Array.from({ length: 12 }, (_, place) => () => ask(keys[place % 4] as IssuedKey));
    const answers = await Promise.all(await together(asks));
    expect(statuses(answers)).toEqual(Array(12).fill(200));
    expect(batches.map(({ name }) => name)).toEqual([TOGETHER, TOGETHER]);
    // How many of them the first one has is up to their arrival.
    expect(batches.flatMap(({ keys: mixed }) => mixed)).toHaveLength(12);
    expect(new Set(batches.flatMap(({ keys: mixed }) => mixed)).size).toBe(4);
    for (const { keyId } of keys) expect(await accountOf(service, keyId)).toEqual(account('0', '0.006108'));
  });

  it('share them with no request of another organisation', async () => {
    const foreign = await service.organisation();
    const { model: theirs } = await buildModel(foreign, [PRICED]);
    const [own, their] = [await issueKey(service, org), await issueKey(service, foreign)];
    const asks = Array.from({ length: 12 }, (_, place) => () => (place % 2 ? authorize(their, theirs) : ask(own)));
    expect(statuses(await Promise.all(await together(asks)))).toEqual(Array(12).fill(200));
    for (const { keys } of batches) expect(new Set(keys).size).toBe(1);
  });

  it('are admitted up to the budget and the rate of their own key, over two services', async () => {
    const ROUNDS = 20;
    const RATE = 5;
    // The budgets are for one to six requests. The others have a rate, a revoked key, and no bound.
    const keys = await newKeys(9, (place) =>
      place < 6 ? { budget_usd: (place + 1) * EACH_USD } : place === 6 ? { rate_limit_rps: RATE } : {},
    );
    const [, , , , , , rated, revoked, free] = keys;
    await service.db.query('update inference_keys set revoked_at = clock_timestamp() where id = $1', [revoked?.keyId]);
    const random = seeded(3);
    const asks = keys
      .flatMap((key) => Array.from({ length: ROUNDS }, (_, round) => ({ key, round, at: random() })))
      .sort((a, b) => a.at - b.at);
    const granted = new Map<IssuedKey | undefined, number>(keys.map((key) => [key, 0]));
    const refused = new Map<IssuedKey | undefined, Set<number>>(keys.map((key) => [key, new Set()]));
    const begun = performance.now();
    await inParallel(asks, 32, async ({ key, round }) => {
      const { status } = await decided(round % 2 ? askElsewhere : ask, key);
      if (status === 200) granted.set(key, (granted.get(key) ?? 0) + 1);
      else refused.get(key)?.add(status);
    });
    const seconds = (performance.now() - begun) / 1_000;
    for (const [place, key] of keys.slice(0, 6).entries()) {
      expect([granted.get(key), ...(refused.get(key) ?? [])]).toEqual([place + 1, 402]);
      expect(await accountOf(service, key.keyId)).toEqual(account('0', ((place + 1) * EACH_USD).toFixed(6)));
    }
    expect(granted.get(rated)).toBeGreaterThanOrEqual(RATE);
    expect(granted.get(rated)).toBeLessThanOrEqual(Math.floor(RATE + RATE * seconds));
    expect([granted.get(revoked), ...(refused.get(revoked) ?? [])]).toEqual([0, 401]);
    expect([granted.get(free), ...(refused.get(free) ?? [])]).toEqual([ROUNDS]);
    expect(named(TOGETHER).some(({ keys: mixed }) => new Set(mixed).size > 3)).toBe(true);
    await expectSoundLedger(service.db);
  });

  it('are not delayed by a key whose row is held; its own ones wait for it', async () => {
    const [held, ...free] = (await newKeys(4)) as [IssuedKey, ...IssuedKey[]];
    const waiting: Promise<Answer>[] = [];
    await whileHeld('select from inference_keys where id = $1 for update', [held.keyId], async () => {
      const answers = await together([held, ...free].map((key) => () => ask(key)));
      waiting.push(...answers.splice(0, 1));
      expect(statuses(await Promise.all(answers))).toEqual([200, 200, 200]);
      await eventually(() => expect(named(APART)).toEqual([{ name: APART, keys: [held.keyId] }]));
      batches.splice(0);
      // Those that come later wait behind it, and not in a statement that others share.
      waiting.push(ask(held), ask(held));
      expect((await ask(free[0] as IssuedKey)).status).toBe(200);
      expect(batches.map(({ keys }) => keys)).toEqual([[free[0]?.keyId]]);
    });
    expect(statuses(await Promise.all(waiting))).toEqual([200, 200, 200]);
    expect(named(APART).flatMap(({ keys }) => keys)).toEqual([held.keyId, held.keyId]);
    batches.splice(0);
    expect((await ask(held)).status).toBe(200);
    expect(batches.map(({ name }) => name)).toEqual([TOGETHER]);
    await expectSoundLedger(service.db);
  });

  it('do not fail with one that cannot be stored, whoever sent them', async () => {
    await service.db.query(`
      create function refuses() returns trigger language plpgsql as $$ begin
        if new.request_id like 'refused-%' then raise exception 'refused' using errcode = 'numeric_value_out_of_range'; end if;
        return new;
      end $$`);
    await service.db.query(
      'create trigger refuses before insert on authorizations for each row execute function refuses()',
    );
    try {
      const [bad, good] = (await newKeys(2)) as [IssuedKey, IssuedKey];
      const asks = Array.from({ length: 12 }, (_, place) => () => ask(place % 2 ? good : bad));
      asks.splice(6, 0, () => ask(bad, { request_id: `refused-${newId()}` }));
      const answers = await Promise.all(await together(asks));
      expect(statuses(answers)).toEqual([...Array<number>(6).fill(200), 400, ...Array<number>(6).fill(200)]);
      for (const { keyId } of [bad, good])
        expect(await accountOf(service, keyId)).toEqual(account('0', (6 * EACH_USD).toFixed(6)));
    } finally {
      await service.db.query('drop trigger refuses on authorizations');
      await service.db.query('drop function refuses');
    }
    await expectSoundLedger(service.db);
  });

  it('are not delayed by one whose id another transaction is writing', async () => {
    const [one, ...others] = (await newKeys(3)) as [IssuedKey, ...IssuedKey[]];
    const sample = await authorized(one, model);
    const request_id = newId();
    batches.splice(0);
    const statements = new SentStatements();
    const [waiting] = await whileHeld(
      `insert into authorizations (org_id, id, key_id, request_id, logical_model, route_generation, reserved_usd, created_at, expires_at, held_until)
       select org_id, gen_random_uuid(), key_id, $1, logical_model, route_generation, 0, created_at, expires_at, held_until
       from authorizations where id = $2`,
      [request_id, sample.authorization_id],
      async () => {
        const asked = await together([() => ask(one, { request_id }), ...others.map((key) => () => ask(key))]);
        expect(statuses(await Promise.all(asked.slice(1)))).toEqual([200, 200]);
        // None was repeated after its wait.
        expect(statements.counts(org.id)[TOGETHER]).toBe(named(TOGETHER).length);
        await eventually(async () => {
          const { rows } = await service.db.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%admit_requests_of_keys%'`,
          );
          expect(rows).toHaveLength(1);
        });
        // In an array, because a promise that is returned is awaited.
        return [asked[0]];
      },
    );
    expect((await waiting)?.status).toBe(200);
    await expectSoundLedger(service.db);
  });

  it('belong to one key if they have one id, though they share a statement', async () => {
    const keys = await newKeys(4);
    const request_id = newId();
    const asks = Array.from({ length: 12 }, (_, place) => () => ask(keys[place % 4] as IssuedKey, { request_id }));
    const answers = await Promise.all(await together([() => ask(keys[0] as IssuedKey), ...asks]));
    expect(statuses(answers).sort()).toEqual([...Array<number>(4).fill(200), ...Array<number>(9).fill(409)]);
    const { rows } = await service.db.query(
      'select from ledger_entries e join authorizations z on z.id = e.authorization_id where request_id = $1',
      [request_id],
    );
    expect(rows).toHaveLength(1);
    await expectSoundLedger(service.db);
  });

  it('have a part of each batch that a key with many requests leaves to them', async () => {
    const MANY = 200;
    const [many, ...few] = (await newKeys(4)) as [IssuedKey, ...IssuedKey[]];
    // Not by HTTP, which would let fewer of them in at once. The few come last.
    const asked = [...Array<IssuedKey>(MANY).fill(many), ...few, ...few].map(({ keyId }) =>
      service.app.get(AdmissionsService).admit(org.id, requestOf(keyId), false),
    );
    for (const { outcome } of await Promise.all(asked)) expect(outcome).toBe('authorized');
    const [first, ...later] = batches.map(({ keys }) => keys);
    expect(few.map(({ keyId }) => first?.filter((id) => id === keyId).length)).toEqual([2, 2, 2]);
    expect(first).toHaveLength(64 + 6);
    expect(later.map(({ length }) => length)).toEqual([64, 64, 8]);
    for (const keys of later) expect(new Set(keys)).toEqual(new Set([many.keyId]));
    await expectSoundLedger(service.db);
  });

  it('leave the money of every key consistent, whatever happens at two services', async () => {
    const STEPS = 900;
    const keys = await newKeys(10, (place) => ({
      ...(place % 3 === 0 ? { budget_usd: 0.02 * (place + 1) } : {}),
      ...(place % 4 === 0 ? { rate_limit_rps: 10 } : {}),
    }));
    await useUpRate(service, keys[8]!.keyId, 3_600);
    const random = seeded(11);
    const below = (bound: number) => Math.floor(random() * bound);
    const of = <T>(among: readonly T[]): T => among[below(among.length)] as T;
    const granted: Authorized[] = [];
    const seen = new Map<string, Set<number>>();
    // A busy service may refuse any request, which is no verdict about its key.
    const note = (what: string, { status }: Answer) => {
      if (status !== 503) seen.set(what, (seen.get(what) ?? new Set()).add(status));
    };

    const steps: Record<string, () => Promise<unknown>> = {
      authorize: async () => {
        const overrides = { request_id: newId(), estimated_prompt_tokens: below(2_000) };
        const answer = await (below(2) ? ask : askElsewhere)(of(keys), overrides);
        note('authorize', answer);
        const { authorization_id } = answer.body as { authorization_id: string };
        if (answer.status === 200) granted.push({ authorization_id, ...overrides, logical_model: model });
      },
      // Two keys send the same id at once, to two services.
      share: async () => {
        const overrides = { request_id: newId() };
        const [one, another] = [of(keys.slice(0, 5)), of(keys.slice(5))];
        const answers = await Promise.all([ask(one, overrides), askElsewhere(another, overrides)]);
        for (const answer of answers) note('share', answer);
        expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      },
      again: async () => {
        const { request_id } = of(granted);
        note('again', await (below(2) ? ask : askElsewhere)(of(keys), { request_id }));
      },
      resolve: async () => note('resolve', await resolve(org.controller, of(granted))),
      settle: async () => {
        const tokens = { prompt_tokens: below(4_000), completion_tokens: below(2_000) };
        note('settle', await sendTelemetry(org.controller, of(granted), { profile_id: profileId, ...tokens }));
      },
      expire: async () => {
        await letExpire(service, of(granted).authorization_id);
        const sweeper = below(2) ? service : other;
        // A round may fail on a busy machine.
        await eventually(() => sweeper.sweep('authorizations'));
      },
      hold: () =>
        service.db.query('select pg_sleep($2) from (select from inference_keys where id = $1 for update) held', [
          of(keys).keyId,
          0.1 + random() / 5,
        ]),
    };
    const mix = Object.entries({ authorize: 10, share: 2, again: 3, resolve: 4, settle: 6, expire: 2, hold: 2 });
    const drawn = mix.flatMap(([what, times]) => Array<string>(times).fill(what));
    await steps.authorize?.();
    await inParallel(Array.from({ length: STEPS }), 24, async (_, place) => {
      await steps[of(drawn)]?.();
      if (place % 100 === 0) await expectSoundLedger(service.db);
    });
    await expectSoundLedger(service.db);
    // Everything that can happen did happen.
    expect(seen.get('authorize')).toEqual(new Set([200, 402, 429]));
    for (const status of [200, 409]) expect(seen.get('share')).toContain(status);
    expect(seen.get('again')).toContain(409);
    expect(seen.get('settle')).toEqual(new Set([200]));
    expect(named(TOGETHER).length).toBeGreaterThan(10);
  });
});
