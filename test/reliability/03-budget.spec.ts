import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { CHAT, createKey, question, readyProfile, type Key } from '../support/chat';
import { eventually } from '../support/eventually';
import { completes, InferenceWorker } from '../support/inference-worker';
import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { expectSoundLedger, moneyOf } from '../support/ledger';
import { seeded } from '../support/random';
import { ask, Replicas, tally, type Reply } from '../support/replicas';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Organisation } from '../support/service';
import { untilServed } from '../support/until-served';

const AUTHORIZE = '/v1/inference/router/authorize';
const CALLERS = 400;
const BURSTS = inForm(1, 20);

/** 0.001 US dollars per token. */
const USD_PER_MTOK = 1_000;
/** The tokens of a request that costs 0.10. */
const TOKENS = 100;

describe('requests of keys with a budget over two processes', () => {
  let replicas: Replicas;
  let worker: InferenceWorker;
  let org: Organisation;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    replicas = await Replicas.start(2, { WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}` });
    org = replicas.organisation();
  });
  afterAll(async () => {
    await replicas.close();
    await worker.close();
    printFigures();
  });

  /** A model whose requests cost exactly the estimate of their prompts. */
  const modelByPrompt = async (): Promise<string> => {
    const pricing = { prompt_usd_per_mtok: USD_PER_MTOK, completion_usd_per_mtok: 0 };
    return replicas.routeTo([await readyProfile(org, worker, { spec: { pricing } })]);
  };
  const authorize = (caller: number, { raw_key: bearer }: Key, body: JsonObject): Promise<Reply> =>
    ask(replicas.of(caller), bearer, AUTHORIZE, { request_id: newId(), ...body });
  /**
   * Sends all requests at once. If the machine is paused for a moment, many are refused as too many before
   * any work; those are repeated after `Retry-After`.
   */
  const all = (call: (caller: number) => Promise<Reply>, callers = CALLERS): Promise<Reply[]> =>
    Promise.all(
      Array.from({ length: callers }, async (_, caller) => {
        for (;;) {
          const reply = await call(caller);
          if (reply.status !== 503 || !reply.text.includes('"overloaded"')) return reply;
          await sleep(100);
        }
      }),
    );

  it(`are admitted up to the budget: 100 of ${CALLERS} concurrent ones of 0.10 each for a budget of 10`, async () => {
    const logical_model = await modelByPrompt();
    let reserved = 0;
    for (let burst = 0; burst < BURSTS; burst++) reserved += await burstOf(logical_model);
    const attack = `${BURSTS} bursts of ${CALLERS} requests over two processes`;
    const overspent = Math.max(0, reserved - BURSTS * 10);
    recordFigure({
      row: 3,
      attack,
      measure: 'admitted above the budgets',
      value: overspent,
      unit: 'USD',
      bound: { atMost: 0 },
    });
    recordFigure({
      row: 3,
      attack,
      measure: 'reserved',
      value: reserved,
      unit: 'USD',
      bound: { atLeast: BURSTS * 10 },
    });
  });

  /** @returns the US dollars that a budget of 10 has reserved after a burst */
  async function burstOf(logical_model: string): Promise<number> {
    const key = await createKey(org, { budget_usd: 10 });
    const replies = await all((caller) => authorize(caller, key, { logical_model, estimated_prompt_tokens: TOKENS }));
    expect(tally(replies)).toEqual({ 200: 100, 402: CALLERS - 100 });
    const ids = replies.flatMap(({ status, text }) =>
      status === 200 ? [(JSON.parse(text) as JsonObject).authorization_id] : [],
    );
    expect(new Set(ids).size).toBe(100);
    for (const { status, text } of replies)
      if (status === 402) expect(JSON.parse(text)).toMatchObject({ code: 'insufficient_quota' });
    // Both processes report the same.
    for (const replica of replicas.all) {
      const { body } = await replicas.organisation(replica).viewer.get('/v1/inference/keys');
      expect((body as JsonObject[]).find(({ key_id: id }) => id === key.key_id)).toMatchObject({
        spent_usd: 0,
        reserved_usd: 10,
        overrun_usd: 0,
      });
    }
    const money = await moneyOf(replicas.db, key.key_id);
    expect(money).toMatchObject({ open: 100, entries: { reserve: 100 } });
    await expectSoundLedger(replicas.db);
    return money.reserved;
  }

  it('admits requests of different prices if and only if they fit', async () => {
    const logical_model = await modelByPrompt();
    const key = await createKey(org, { budget_usd: 10 });
    const random = seeded(SEED);
    // From 0.001 to 0.3, some 90 dollars in all.
    const tokens = Array.from({ length: 600 }, () => 1 + Math.floor(random() * 300));
    const replies = await all(
      (caller) => authorize(caller, key, { logical_model, estimated_prompt_tokens: tokens[caller] ?? 0 }),
      tokens.length,
    );
    const of = (wanted: number) => tokens.filter((_, caller) => replies[caller]?.status === wanted);
    const [admitted, refused] = [of(200), of(402)];
    expect(admitted.length + refused.length).toBe(tokens.length);
    const reserved = admitted.reduce((sum, count) => sum + count, 0);
    recordFigure({
      row: 3,
      attack: `${tokens.length} requests of different prices for one budget, seed ${SEED}`,
      measure: 'admitted above the budget',
      value: Math.max(0, reserved - 10_000) / 1_000,
      unit: 'USD',
      bound: { atMost: 0 },
    });
    // Nothing was released meanwhile, so a request that did not fit then does not fit at the end either.
    expect(reserved + Math.min(...refused)).toBeGreaterThan(10_000);
    const money = await moneyOf(replicas.db, key.key_id);
    expect(money).toMatchObject({ open: admitted.length, spent: 0 });
    expect(money.reserved).toBeCloseTo(reserved / 1_000, 9);
    await expectSoundLedger(replicas.db);
  });

  it(`are served up to the budget: 100 of ${CALLERS} concurrent chats of 0.10, and the released rest pays for others`, async () => {
    const pricing = { prompt_usd_per_mtok: 0, completion_usd_per_mtok: USD_PER_MTOK };
    const roomy = { target_concurrency: 2 * CALLERS, max_queue_depth: CALLERS };
    const model = await replicas.routeTo([await readyProfile(org, worker, { spec: { pricing }, ...roomy })]);
    const key = await createKey(org, { budget_usd: 10 });
    // Nothing is settled before all were admitted or refused; then each costs half of its reservation.
    let open = () => {};
    let opened = Promise.resolve();
    const close = () => (opened = new Promise((resolve) => (open = resolve)));
    const half = completes({ words: Array<string>(TOKENS / 2).fill('word') });
    worker.behaves(async (exchange) => {
      await opened;
      await half(exchange);
    });
    const chat = (caller: number) =>
      ask(replicas.of(caller), key.raw_key, CHAT, question(model, { max_tokens: TOKENS }));
    const burst = async (callers: number, fit: number): Promise<void> => {
      void close();
      let refused = 0;
      const asked = all(async (caller) => {
        const reply = await chat(caller);
        if (reply.status === 429) refused++;
        return reply;
      }, callers);
      await eventually(() => expect([refused, worker.underWay]).toEqual([callers - fit, fit]), 30_000);
      expect((await moneyOf(replicas.db, key.key_id)).reserved).toBeCloseTo(fit / 10, 9);
      open();
      const replies = await asked;
      expect(tally(replies)).toEqual({ 200: fit, 429: callers - fit });
      for (const { status, text, headers } of replies) {
        if (status !== 429) continue;
        expect(JSON.parse(text)).toMatchObject({ error: { code: 'insufficient_quota' } });
        expect(headers.get('x-should-retry')).toBe('false');
      }
    };
    const spent = (usd: number) =>
      eventually(async () => {
        const money = await moneyOf(replicas.db, key.key_id);
        expect(money).toMatchObject({ spent: usd, reserved: 0, overrun: 0, open: 0 });
      });
    await burst(CALLERS, 100);
    await spent(5);
    await burst(CALLERS, 50);
    await spent(7.5);
    await burst(100, 25);
    await spent(8.75);
    await expectSoundLedger(replicas.db);
    worker.reset();
  });

  it('counts requests with one request_id as one, however often it is sent', async () => {
    const logical_model = await modelByPrompt();
    // One of them fits, and one per second: repeated ones use up neither.
    const key = await createKey(org, { budget_usd: 0.1, rate_limit_rps: 1 });
    const request_id = newId();
    const replies = await all(
      (caller) => authorize(caller, key, { request_id, logical_model, estimated_prompt_tokens: TOKENS }),
      50,
    );
    expect(tally(replies)).toEqual({ 200: 50 });
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await moneyOf(replicas.db, key.key_id)).toEqual({
      spent: 0,
      reserved: 0.1,
      overrun: 0,
      open: 1,
      entries: { reserve: 1 },
    });
    await expectSoundLedger(replicas.db);
  });

  it('gives each request_id to one of several keys that send it', async () => {
    const logical_model = await modelByPrompt();
    const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(org, { budget_usd: 1_000 })));
    const random = seeded(SEED);
    const ids = Array.from({ length: 50 }, () => newId());
    // Each key requests all of them at both processes, in its own order, so they meet in the middle of their
    // batches.
    const asks = keys
      .flatMap((key) => [0, 1].flatMap((process) => ids.map((request_id) => ({ key, process, request_id }))))
      .map((one) => ({ one, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ one }) => one);
    const replies = await Promise.all(
      asks.map(async ({ key, process, request_id }) => ({
        request_id,
        ...(await untilServed(() =>
          authorize(process, key, { request_id, logical_model, estimated_prompt_tokens: TOKENS }),
        )),
      })),
    );
    expect(tally(replies)).toEqual({ 200: 2 * ids.length, 409: 2 * (keys.length - 1) * ids.length });
    const granted = Map.groupBy(
      replies.filter(({ status }) => status === 200),
      ({ request_id: id }) => id,
    );
    for (const [one, other] of granted.values()) expect(one?.text).toBe(other?.text);
    recordFigure({
      row: 3,
      attack: `${keys.length} keys that ask for the same ${ids.length} request_ids at two processes, seed ${SEED}`,
      measure: 'granted more or less than once',
      value: [...granted.values()].filter((both) => both.length !== 2).length + ids.length - granted.size,
      unit: '',
      bound: { atMost: 0 },
    });
    const money = await Promise.all(keys.map(({ key_id: id }) => moneyOf(replicas.db, id)));
    expect(money.reduce((sum, { open }) => sum + open, 0)).toBe(ids.length);
    await expectSoundLedger(replicas.db);
  });
});
