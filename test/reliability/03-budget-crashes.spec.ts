import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { CHAT, coldProfile, createKey, question, readyProfile, type Key } from '../support/chat';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure } from '../support/figures';
import { answers, completes, InferenceWorker, streams } from '../support/inference-worker';
import { expectSoundLedger, moneyOf } from '../support/ledger';
import { onThisMachine } from '../support/machine';
import { ask, Replicas, tally, type Replica, type Reply } from '../support/replicas';
import type { Organisation } from '../support/service';

const ROUTER = '/v1/inference/router';

/** 0.001 US dollars per token. */
const PRICED: JsonObject = {
  spec: { pricing: { prompt_usd_per_mtok: 1_000, completion_usd_per_mtok: 1_000 } },
  target_concurrency: 256,
};

/**
 * A round whose process died is scheduled again within 20 seconds. An authorization lives for a minute at
 * least, so twice its time is a minute more.
 */
const SWEPT_WITHIN_MS = 60_000;

describe('a process that ends during requests', () => {
  let replicas: Replicas;
  let worker: InferenceWorker;
  let org: Organisation;
  /** The first one ends, the second one stays. */
  let victim: Replica;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    replicas = await Replicas.start(1, { WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}` });
    org = replicas.organisation();
  });
  beforeEach(async () => {
    worker.reset();
    victim = await replicas.add();
  });
  afterAll(async () => {
    await replicas.close();
    await worker.close();
    printFigures();
  });

  const settled = <T>(asked: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> => Promise.allSettled(asked);
  const chat = (replica: Replica, key: Key, model: string, overrides: JsonObject = {}, headers = {}): Promise<Reply> =>
    ask(replica, key.raw_key, CHAT, question(model, { max_tokens: 100, ...overrides }), headers);

  /** Moves all open authorizations past their time for settlement. */
  const expire = (key: Key) =>
    replicas.db.query(
      'update authorizations set held_until = clock_timestamp() where key_id = $1 and settled_at is null',
      [key.key_id],
    );
  /** @returns after how many milliseconds nothing is reserved */
  const closedBySweep = async (key: Key): Promise<number> => {
    const expiredAt = performance.now();
    await eventually(
      async () => expect(await moneyOf(replicas.db, key.key_id)).toMatchObject({ open: 0, reserved: 0 }),
      2 * SWEPT_WITHIN_MS,
    );
    return performance.now() - expiredAt;
  };
  /** The reservations of a key's open authorizations: of those sent to a worker, and of the others. */
  const openOf = async (key: Key) => {
    const { rows } = await replicas.db.query<{ sent: number; sent_usd: number; kept: number; held_s: number }>(
      `select count(*) filter (where resolved_at is not null)::int as sent,
         coalesce(sum(reserved_usd) filter (where resolved_at is not null), 0)::float8 as sent_usd,
         count(*) filter (where resolved_at is null)::int as kept,
         max(extract(epoch from held_until - clock_timestamp()) ) filter (where resolved_at is null)::float8 as held_s
       from authorizations where key_id = $1 and settled_at is null`,
      [key.key_id],
    );
    return rows[0] as (typeof rows)[number];
  };

  it('keeps the reserved charge of requests that were sent to workers after a kill, and releases the rest', async () => {
    const QUEUE_TIMEOUT_MS = 40_000;
    const warm = await replicas.routeTo([await readyProfile(org, worker, PRICED)]);
    const cold = await replicas.routeTo([await coldProfile(org, PRICED)], { queue_timeout_ms: QUEUE_TIMEOUT_MS });
    const key = await createKey(org, { budget_usd: 100 });
    worker.behaves(streams({ before: (place) => (place === 2 ? new Promise(() => {}) : undefined) }));
    const streaming = Array.from({ length: 5 }, () => chat(victim, key, warm, { stream: true }));
    const waiting = Array.from({ length: 4 }, () => chat(victim, key, cold));
    const lost = settled([...streaming, ...waiting]);
    const authorized = Array.from({ length: 6 }, () => newId());
    for (const [n, request_id] of authorized.entries()) {
      const answer = await ask(victim, key.raw_key, `${ROUTER}/authorize`, { request_id, logical_model: warm });
      expect(answer.status).toBe(200);
      const { authorization_id } = JSON.parse(answer.text) as JsonObject;
      if (n % 2 === 1) continue;
      const body = { authorization_id, request_id, logical_model: warm };
      expect((await ask(victim, org.admin.token ?? '', `${ROUTER}/resolve`, body)).status).toBe(200);
    }
    await eventually(async () => {
      expect(worker.underWay).toBe(5);
      expect(await openOf(key)).toMatchObject({ sent: 5 + 3, kept: 4 + 3 });
    }, 20_000);
    const before = await moneyOf(replicas.db, key.key_id);

    victim.process.kill();
    await victim.process.exit;
    for (const { status } of await lost) expect(status).toBe('rejected');

    // Nobody knows yet whether they continue: everything stays reserved, and waiting requests no longer than
    // they might have waited.
    expect(await moneyOf(replicas.db, key.key_id)).toEqual(before);
    const { sent_usd: sentUsd, held_s: heldSeconds } = await openOf(key);
    expect(heldSeconds).toBeLessThanOrEqual(60 + QUEUE_TIMEOUT_MS / 1_000);
    await expire(key);
    recordFigure({
      row: 3,
      attack: 'a process is killed with 15 open reservations',
      measure: 'until they are gone behind their time',
      value: await closedBySweep(key),
      unit: 'ms',
      bound: { atMost: SWEPT_WITHIN_MS },
    });
    const money = await moneyOf(replicas.db, key.key_id);
    expect(money.entries).toEqual({ reserve: 15, charge: 8, release: 7 });
    expect(money.spent).toBeCloseTo(sentUsd, 9);
    expect(money.overrun).toBe(0);
    await expectSoundLedger(replicas.db);
    // A router that reports one of them later changes nothing any more.
    const [request_id] = authorized;
    const late = { request_id, logical_model: warm, prompt_tokens: 1, completion_tokens: 1, status_code: 200 };
    expect((await ask(replicas.of(0), org.admin.token ?? '', `${ROUTER}/telemetry`, late)).status).toBe(200);
    expect(await moneyOf(replicas.db, key.key_id)).toEqual(money);
  });

  it('loses at most the usage of the last moment in a kill, and that stays charged in full', async () => {
    const model = await replicas.routeTo([await readyProfile(org, worker, PRICED)]);
    const key = await createKey(org);
    worker.behaves(completes({ words: ['Hello'] }));
    const answered: { id: string; at: number; status: number }[] = [];
    const loops = Array.from({ length: 16 }, async () => {
      try {
        for (;;) {
          const { status, headers, answeredAt: at } = await chat(victim, key, model);
          answered.push({ id: headers.get('x-request-id') ?? '', at, status });
        }
      } catch {
        // Killed.
      }
    });
    await eventually(() => expect(answered.length).toBeGreaterThan(500), 30_000);
    const killedAt = performance.now();
    victim.process.kill();
    await Promise.all(loops);
    await victim.process.exit;

    expect(tally(answered)).toEqual({ 200: answered.length });
    // A statement sent just before the kill may still be running in the database.
    await eventually(async () => {
      const { rows } = await replicas.db.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database() and state = 'active' and query ~ 'settle_requests|admit_requests' and pid <> pg_backend_pid()`,
      );
      expect(rows[0]?.count).toBe(0);
    });
    const { rows } = await replicas.db.query<{ request_id: string }>(
      'select request_id from usage_records where key_id = $1',
      [key.key_id],
    );
    const known = new Set(rows.map(({ request_id: id }) => id));
    const lost = answered.filter(({ id }) => !known.has(id));
    for (const { at } of lost) expect(at).toBeGreaterThan(killedAt - onThisMachine(2_000));
    const { sent, kept } = await openOf(key);
    // Together with those that were in progress.
    expect(sent + kept).toBeGreaterThanOrEqual(lost.length);
    expect(sent + kept).toBeLessThanOrEqual(lost.length + loops.length);
    await expectSoundLedger(replicas.db);

    await expire(key);
    await closedBySweep(key);
    const { rows: charges } = await replicas.db.query<{ request_id: string }>(
      `select z.request_id from authorizations z join ledger_entries e on e.org_id = z.org_id and e.authorization_id = z.id
       where z.key_id = $1 and e.kind = 'charge' and e.spent_usd = z.reserved_usd and e.spent_usd > 0`,
      [key.key_id],
    );
    const charged = new Set(charges.map(({ request_id: id }) => id));
    expect(lost.filter(({ id }) => !charged.has(id))).toEqual([]);
    await expectSoundLedger(replicas.db);
  });

  it('finishes its streams and records all usage before it ends at a SIGTERM', async () => {
    const warm = await replicas.routeTo([await readyProfile(org, worker, PRICED)]);
    const cold = await replicas.routeTo([await coldProfile(org, PRICED)], { queue_timeout_ms: 30_000 });
    const key = await createKey(org, { budget_usd: 1_000 });
    // Streams last until the service has received the signal.
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const slow = streams({ before: (place) => (place === 2 ? held : place > 2 ? sleep(30) : undefined) });
    worker.behaves((exchange) => (exchange.asked.stream === true ? slow : answers())(exchange));
    const streaming = Array.from({ length: 20 }, () => chat(victim, key, warm, { stream: true }));
    const quick: Reply[] = [];
    const refused: Reply[] = [];
    const loops = Array.from({ length: 8 }, async () => {
      try {
        for (;;) {
          const reply = await chat(victim, key, warm);
          if (reply.status !== 200) return void refused.push(reply);
          quick.push(reply);
        }
      } catch {
        // The port is closed.
      }
    });
    await eventually(() => {
      expect(worker.underWay).toBeGreaterThanOrEqual(20);
      expect(quick.length).toBeGreaterThan(100);
    }, 30_000);
    const waiting = Array.from({ length: 3 }, () => chat(victim, key, cold, {}, { 'x-request-timeout-ms': '5000' }));
    await eventually(async () => expect((await openOf(key)).kept).toBe(3));

    victim.process.process.kill('SIGTERM');
    await Promise.all(loops);
    expect(worker.underWay).toBe(20);
    goOn();
    const streamed = await Promise.all(streaming);
    expect(tally(streamed)).toEqual({ 200: 20 });
    for (const { text } of streamed) expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const waited = await Promise.all(waiting);
    expect(tally(waited)).toEqual({ 503: 3 });
    expect(await victim.process.exit).toBe(0);
    expect(victim.process.errors).not.toMatch(/"level":(50|60)/);

    // At once, because no other process does it.
    const money = await moneyOf(replicas.db, key.key_id);
    expect(money).toMatchObject({ open: 0, reserved: 0, overrun: 0 });
    const { rows } = await replicas.db.query<{ request_id: string; status_code: number }>(
      'select request_id, status_code from usage_records where key_id = $1 order by request_id',
      [key.key_id],
    );
    const expected = [...streamed, ...waited, ...quick].map(({ headers, status }) => ({
      request_id: headers.get('x-request-id') ?? '',
      status_code: status,
    }));
    expected.sort((a, b) => (a.request_id < b.request_id ? -1 : 1));
    expect(rows).toEqual(expected);
    expect(money.entries).toEqual({ reserve: expected.length, settle: expected.length });
    // Refused during the shutdown: they never were requests of the key.
    expect(tally(refused)).toEqual(refused.length === 0 ? {} : { 503: refused.length });
    await expectSoundLedger(replicas.db);
  });
});
