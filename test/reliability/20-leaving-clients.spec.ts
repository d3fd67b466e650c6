import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  settledAccountOf,
  createKey,
  question,
  RawChat,
  readyProfile,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../support/chat';
import { eventually } from '../support/eventually';
import { answers, hangsUp, InferenceWorker, isSilent, streams } from '../support/inference-worker';
import { onThisMachine } from '../support/machine';
import { inParallel, seeded } from '../support/random';
import type { Organisation, Service } from '../support/service';
import { percentile, printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';

const REQUESTS = inForm(60, 500);
const AT_A_TIME = 25;

/** The worker must notice within this time. */
const MEDIAN_MS = 100;
const TAIL_MS = inForm(250, 100);

const attackOf = (when: string): string => `${REQUESTS} clients leave ${when}, ${AT_A_TIME} at a time, seed ${SEED}`;

describe('a client that leaves', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let profileId: string;
  let model: string;
  const delays = monitorEventLoopDelay({ resolution: 5 });

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    org = await service.organisation();
    delays.enable();
  });
  afterAll(async () => {
    delays.disable();
    await service.close();
    await worker.close();
    printFigures();
  });
  beforeEach(async () => {
    worker.reset();
    key = await createKey(org, { budget_usd: 1_000 });
    profileId = await readyProfile(org, worker);
    model = await routeTo(org, [profileId]);
  });

  /**
   * How late the worker noticed, each time. If others occupy this machine, both the service and this process
   * are late.
   */
  function expectNoticedAtOnce(when: string, lateMs: readonly number[], { max }: { max: number }): void {
    expect(lateMs).toHaveLength(REQUESTS);
    expect(percentile(lateMs, 0.5)).toBeLessThanOrEqual(onThisMachine(MEDIAN_MS));
    const late = inForm(onThisMachine(TAIL_MS) + 2 * (max / 1e6), TAIL_MS);
    const attack = attackOf(when);
    const value = percentile(lateMs, 0.99);
    recordFigure({
      row: 20,
      attack,
      measure: 'until the worker notices, p99',
      value,
      unit: 'ms',
      bound: { atMost: late },
    });
  }
  /** The user of a request identifies it at the worker. */
  const abandoned = (user: string): number | undefined =>
    worker.requests.find(({ body }) => body.includes(`"user":"${user}"`))?.leftAt;

  it(`is noticed by the worker at once if it leaves ${REQUESTS} times during a stream, and every request is settled`, async () => {
    const next = seeded(SEED);
    worker.behaves(streams({ words: Array.from({ length: 400 }, () => ' word'), before: () => sleep(2) }));
    const lateMs: number[] = [];
    delays.reset();
    await inParallel(
      Array.from({ length: REQUESTS }, (_, n) => `user-${n}`),
      AT_A_TIME,
      async (user) => {
        const include_usage = next() < 0.5;
        const body = question(model, { stream: true, user, stream_options: { include_usage } });
        const answer = await RawChat.ask(service, key.raw_key, body);
        for (let chunks = Math.floor(next() * 8); chunks >= 0; chunks--) await answer.chunk();
        const leftAt = performance.now();
        answer.leave();
        await eventually(() => expect(abandoned(user)).toBeDefined());
        lateMs.push(Math.max((abandoned(user) ?? NaN) - leftAt, 0));
      },
    );
    expectNoticedAtOnce('in the middle of a stream', lateMs, delays);
    await expectSettled(true);
  });

  it(`is noticed by the worker at once if it leaves ${REQUESTS} times before the first output, and every request is settled`, async () => {
    const next = seeded(SEED + 1);
    worker.behaves(isSilent());
    const lateMs: number[] = [];
    delays.reset();
    await inParallel(
      Array.from({ length: REQUESTS }, (_, n) => `user-${n}`),
      AT_A_TIME,
      async (user) => {
        const sent = RawChat.send(service, key.raw_key, question(model, { user, stream: next() < 0.2 }));
        sent.on('error', () => undefined);
        await eventually(() =>
          expect(worker.requests.some(({ body }) => body.includes(`"user":"${user}"`))).toBe(true),
        );
        await sleep(next() * 5);
        const leftAt = performance.now();
        sent.destroy();
        await eventually(() => expect(abandoned(user)).toBeDefined());
        lateMs.push(Math.max((abandoned(user) ?? NaN) - leftAt, 0));
      },
    );
    expectNoticedAtOnce('before the first output', lateMs, delays);
    await expectSettled(false);
  });

  async function expectSettled(streamed: boolean): Promise<void> {
    const { requests, spent, overrun } = await settledAccountOf(service, key);
    expect(requests).toBe(REQUESTS);
    const attack = attackOf(streamed ? 'in the middle of a stream' : 'before the first output');
    const atLeast = REQUESTS;
    recordFigure({ row: 20, attack, measure: 'reservations settled', value: requests, unit: '', bound: { atLeast } });
    const rows = await usageOf(service, model, REQUESTS);
    expect(new Set(rows.map(({ status_code: status }) => status))).toEqual(new Set([499]));
    if (streamed) expect(rows.every(({ completion_tokens: tokens }) => (tokens ?? 0) > 0)).toBe(true);
    // What the worker sent in vain is charged; an answer that never began costs nothing.
    expect(spent + overrun).toBeCloseTo(
      rows.reduce((sum, { cost_usd: usd }) => sum + usd, 0),
      9,
    );
    if (streamed) expect(spent).toBeGreaterThan(0);
    else expect(spent).toBe(0);
    // No place and no connection is still taken.
    await eventually(() => expect(worker.underWay).toBe(0));
    worker.behaves(answers());
    expect((await RawChat.ask(service, key.raw_key, question(model))).status).toBe(200);
  }

  it(`frees the place of a client that leaves at any time, with the seed ${SEED}`, async () => {
    const narrow = await readyProfile(org, worker, { target_concurrency: 4, max_queue_depth: 500 });
    model = await routeTo(org, [narrow]);
    const next = seeded(SEED + 2);
    worker.behaves(streams({ words: ['a', 'b', 'c'], before: () => sleep(1) }));
    await inParallel(Array.from({ length: 200 }), 20, async () => {
      const sent = RawChat.send(service, key.raw_key, question(model, { stream: next() < 0.5 }));
      sent.on('response', (message) => message.on('error', () => undefined).resume());
      const over = new Promise((resolve) => sent.on('error', resolve).on('close', resolve));
      await Promise.race([sleep(next() * 25), over]);
      sent.destroy();
      await over;
    });
    await eventually(() => expect(worker.underWay).toBe(0));
    expect(worker.highest).toBeLessThanOrEqual(5);
    await settledAccountOf(service, key);
    // As many as there are places are at the worker at once: if one is taken, the last waits in vain.
    const answer = answers();
    let together = 0;
    worker.behaves(async (exchange) => {
      together++;
      // More, if the connection of one was closed meanwhile: it is sent again.
      await eventually(() => expect(together).toBeGreaterThanOrEqual(4));
      await answer(exchange);
    });
    const answered = await Promise.all(
      Array.from({ length: 4 }, () => RawChat.ask(service, key.raw_key, question(model))),
    );
    const replies = await Promise.all(
      answered.map(async ({ status, message }) => (status === 200 ? 'answered' : text(message))),
    );
    expect(replies).toEqual(Array(4).fill('answered'));
  });

  it('gives a complete answer to a client that leaves right after the last event', async () => {
    const answer = await RawChat.ask(service, key.raw_key, question(model, { stream: true }));
    let text = '';
    while (!text.includes('data: [DONE]\n\n')) text += (await answer.chunk()).toString();
    answer.leave();
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 200, completion_tokens: 10 }]);
  });

  it('notices that a client leaves while it is not reading', async () => {
    const event = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(16_000) } }] })}\n\n`;
    let blocked = false;
    worker.behaves(async ({ response, gone }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!gone.aborted) {
        if (response.write(event)) continue;
        const signal = AbortSignal.any([gone, AbortSignal.timeout(500)]);
        const drained = await once(response, 'drain', { signal }).then(
          () => true,
          () => gone.aborted,
        );
        if (!drained) {
          blocked = true;
          return;
        }
      }
    });
    const answer = await RawChat.ask(service, key.raw_key, question(model, { stream: true }));
    await eventually(() => expect(blocked).toBe(true), 30_000);
    answer.leave();
    await eventually(() => expect(worker.abandoned).toHaveLength(1));
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 499 }]);
    await settledAccountOf(service, key);
  });

  it('asks no other worker for a client that leaves at the moment in which its worker fails', async () => {
    const other = await readyProfile(org, worker);
    model = await routeTo(org, [profileId, other]);
    const sent = RawChat.send(service, key.raw_key, question(model));
    sent.on('error', () => undefined);
    worker.behaves(async (exchange) => {
      sent.destroy();
      if (!exchange.gone.aborted) await once(exchange.gone, 'abort');
      await hangsUp('nothing')(exchange);
    });
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 499, upstream_attempts: 1 }]);
    expect(worker.requests).toHaveLength(1);
    await settledAccountOf(service, key);
  });
});
