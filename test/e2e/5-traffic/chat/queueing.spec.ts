import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { WaitingRoom } from '../../../../src/5-traffic/chat/waiting-room';
import {
  settledAccountOf,
  CHAT,
  coldProfile,
  createKey,
  question,
  RawChat,
  readyProfile,
  routed,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { answers, InferenceWorker, later, streams } from '../../../support/inference-worker';
import { expectSoundLedger } from '../../../support/ledger';
import { RawConnection } from '../../../support/raw-http';
import { report } from '../../../support/profiles';
import type { Answer, Organisation, Service } from '../../../support/service';

describe('a chat that waits for a busy worker', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  /** Lets the requests at the worker go on, in the order of arrival. */
  let held: (() => void)[];

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    worker.reset();
    held = [];
    org = await service.organisation();
    key = await createKey(org);
  });
  afterEach(() => held.splice(0).forEach((release) => release()));

  /** The worker answers on command. */
  const holding = (): void =>
    worker.behaves(async (exchange) => {
      await new Promise<void>((release) => {
        held.push(release);
        exchange.gone.addEventListener('abort', () => release());
      });
      if (!exchange.gone.aborted) await answers()(exchange);
    });
  const busy = async (overrides: JsonObject, route: JsonObject = {}): Promise<string> =>
    routeTo(org, [await readyProfile(org, worker, overrides)], route);
  const ask = (model: string, more: JsonObject = {}): Promise<Answer> =>
    service.as(key.raw_key).post(CHAT, question(model, more));
  /** Identifies a request at the worker. */
  const users = (): unknown[] => worker.requests.map(({ body }) => (JSON.parse(body.toString()) as JsonObject).user);
  const admitted = (count: number): Promise<void> =>
    eventually(async () => {
      const { rowCount } = await service.db.query('select from authorizations where key_id = $1', [key.key_id]);
      expect(rowCount).toBe(count);
    });
  it('is served in the order of arrival', async () => {
    holding();
    const model = await busy({ target_concurrency: 1 });
    const answering: Promise<Answer>[] = [];
    for (let n = 0; n < 8; n++) {
      answering.push(ask(model, { user: `user-${n}` }));
      await admitted(n + 1);
    }
    for (let n = 0; n < 8; n++) {
      await eventually(() => expect(users()).toEqual(Array.from({ length: n + 1 }, (_, at) => `user-${at}`)));
      held[n]?.();
    }
    const all = await Promise.all(answering);
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(worker.highest).toBe(1);
    // They waited for a place, not for a start.
    expect(all.map(({ headers }) => routed(headers))).toEqual(
      all.map(() => ({ target: expect.any(String), reason: 'priority', start: 'warm', attempts: '1' })),
    );
    expect(all[0]?.headers['x-queue-ms']).toBe('0');
    expect(Number(all.at(-1)?.headers['x-queue-ms'])).toBeGreaterThan(0);
    const rows = await usageOf(service, model, 8);
    expect(rows.every(({ activation_path: path }) => path === 'warm')).toBe(true);
    expect((await settledAccountOf(service, key)).requests).toBe(8);
  });

  it.each([true, false])('keeps within the limit of the worker (stream: %s)', async (stream) => {
    worker.behaves(later(15, stream ? streams({ words: ['a', 'b'] }) : answers()));
    const model = await busy({ target_concurrency: 3, max_queue_depth: 100 });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const answer = await RawChat.ask(service, key.raw_key, question(model, { stream }));
        await answer.bytes();
        return answer.status;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([worker.highest, worker.requests.length]).toEqual([3, 60]);
  });

  it('may take the places of all replicas of the worker', async () => {
    holding();
    const profileId = await coldProfile(org, { target_concurrency: 2, min_replicas: 1, max_replicas: 3 });
    const path = `/v1/inference/profiles/${profileId}/state`;
    const intent = await org.operator.post(path, { desired_state: 'Active', desired_replicas: 3 });
    const observed_generation = intent.body.generation as number;
    await report(org.controller, profileId, { endpoint: worker.url, observed_generation });
    const model = await routeTo(org, [profileId]);
    const answering = Array.from({ length: 8 }, () => ask(model));
    await admitted(8);
    await eventually(() => expect(worker.underWay).toBe(6));
    while (held.length > 0) {
      held.splice(0).forEach((release) => release());
      await Promise.race([Promise.all(answering), eventually(() => expect(held.length).toBeGreaterThan(0))]);
    }
    expect((await Promise.all(answering)).every(({ status }) => status === 200)).toBe(true);
    expect(worker.highest).toBe(6);
  });

  it('goes to the next target if the first has no place', async () => {
    holding();
    const first = await readyProfile(org, worker, { target_concurrency: 1 });
    const second = await readyProfile(org, worker, { target_concurrency: 1 });
    const model = await routeTo(org, [first, second]);
    const answering = [ask(model, { user: 'one' })];
    await eventually(() => expect(held).toHaveLength(1));
    answering.push(ask(model, { user: 'two' }));
    await eventually(() => expect(held).toHaveLength(2));
    held.forEach((release) => release());
    const [one, two] = await Promise.all(answering);
    expect(routed(one?.headers ?? {})).toMatchObject({ target: first, reason: 'priority' });
    expect(routed(two?.headers ?? {})).toMatchObject({ target: second, reason: 'fallback' });
  });

  it('gets a place at the first target beside a flood of a key without a budget', async () => {
    const first = await readyProfile(org, worker, { target_concurrency: 8 });
    const model = await routeTo(org, [first, await readyProfile(org, worker)]);
    const poor = service.as((await createKey(org, { budget_usd: 0.000_001 })).raw_key);
    let flooding = true;
    let refused = 0;
    const flood = Array.from({ length: 20 }, async () => {
      while (flooding) {
        expect((await poor.post(CHAT, question(model))).body).toMatchObject({ code: 'insufficient_quota' });
        refused++;
      }
    });
    try {
      await eventually(() => expect(refused).toBeGreaterThan(100));
      for (let request = 0; request < 50; request++)
        expect(routed((await ask(model)).headers)).toMatchObject({ target: first, reason: 'priority' });
    } finally {
      flooding = false;
    }
    await Promise.all(flood);
  });

  it('is refused if the queue is full, and admitted as soon as one has left it', async () => {
    holding();
    const model = await busy({ target_concurrency: 1, max_queue_depth: 2 });
    const answering = [ask(model, { user: 'served' })];
    await eventually(() => expect(held).toHaveLength(1));
    const leaving = RawChat.send(service, key.raw_key, question(model, { user: 'leaves' }));
    leaving.on('error', () => undefined);
    await admitted(2);
    answering.push(ask(model, { user: 'waits' }));
    await admitted(3);

    const refused = await ask(model);
    expect([refused.status, refused.body.code, refused.body.error.type]).toEqual([503, 'queue_full', 'server_error']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(routed(refused.headers)).toEqual({ target: null, reason: null, start: null, attempts: '0' });

    leaving.destroy();
    await eventually(async () => {
      const { rowCount } = await service.db.query(
        'select from usage_records where logical_model = $1 and status_code = 499',
        [model],
      );
      expect(rowCount).toBe(1);
    });
    answering.push(ask(model, { user: 'comes later' }));
    await admitted(5);
    for (let n = 0; n < 3; n++) {
      await eventually(() => expect(held).toHaveLength(n + 1));
      held[n]?.();
    }
    expect((await Promise.all(answering)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(users()).toEqual(['served', 'waits', 'comes later']);
    const statuses = (await usageOf(service, model, 5)).map(({ status_code: status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 499, 503]);
    expect((await settledAccountOf(service, key)).requests).toBe(5);
  });

  it('is refused in favour of a key that has fewer in the full queue, and costs nothing', async () => {
    holding();
    const model = await busy({ target_concurrency: 1, max_queue_depth: 3 });
    const greedy = [ask(model, { user: 'served' })];
    await eventually(() => expect(held).toHaveLength(1));
    for (let n = 1; n <= 3; n++) {
      greedy.push(ask(model, { user: `greedy-${n}` }));
      await admitted(n + 1);
      await eventually(() => expect(service.app.get(WaitingRoom).size).toBe(n));
    }
    expect((await ask(model)).body).toMatchObject({ status: 503, code: 'queue_full' });
    const other = await createKey(org);
    const modest = service.as(other.raw_key).post(CHAT, question(model, { user: 'modest' }));
    const refused = await greedy.pop()!;
    expect([refused.status, refused.body.code, refused.headers['x-attempts']]).toEqual([503, 'queue_full', '0']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    for (let n = 0; n < 4; n++) {
      await eventually(() => expect(held).toHaveLength(n + 1));
      held[n]?.();
    }
    for (const { status } of [...(await Promise.all(greedy)), await modest]) expect(status).toBe(200);
    expect(users()).toEqual(['served', 'greedy-1', 'greedy-2', 'modest']);
    const paid = (await usageOf(service, model, 6)).filter(({ cost_usd: cost }) => Number(cost) > 0);
    expect(paid).toHaveLength(4);
    // What the refused ones had reserved is free again.
    await settledAccountOf(service, key);
    await expectSoundLedger(service.db);
  });

  it('is refused if no queue is allowed', async () => {
    holding();
    const model = await busy({ target_concurrency: 1, max_queue_depth: 0 });
    const served = ask(model);
    await eventually(() => expect(held).toHaveLength(1));
    expect((await ask(model)).body).toMatchObject({ status: 503, code: 'queue_full' });
    held[0]?.();
    expect((await served).status).toBe(200);
    const after = ask(model);
    await eventually(() => expect(held).toHaveLength(2));
    held[1]?.();
    expect((await after).status).toBe(200);
  });

  it('is refused when its time is over', async () => {
    holding();
    const model = await busy({ target_concurrency: 1 }, { queue_timeout_ms: 5_000 });
    const served = ask(model);
    await eventually(() => expect(held).toHaveLength(1));
    const headers = { 'x-request-timeout-ms': '1500' };
    const late = await service.as(key.raw_key).post(CHAT, question(model), headers);
    expect([late.status, late.headers['x-attempts']]).toEqual([503, '0']);
    expect(Number(late.headers['x-queue-ms'])).toBeGreaterThan(1_000);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
    held[0]?.();
    expect((await served).status).toBe(200);
    const [missed] = (await usageOf(service, model, 2)).filter(({ status_code: status }) => status === 503);
    expect(missed).toMatchObject({ deadline_missed: true, cost_usd: 0, upstream_attempts: 0 });
  });

  it('is refused, and leaves the worker, when its time ends before a slow worker has sent anything', async () => {
    holding();
    const model = await busy({});
    const headers = { 'x-request-timeout-ms': '300' };
    const late = await service.as(key.raw_key).post(CHAT, question(model), headers);
    expect([late.status, late.body.code, late.headers['x-attempts']]).toEqual([503, 'deadline_exceeded', '1']);
    expect(late.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    await eventually(() => expect(worker.abandoned).toHaveLength(1));
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, deadline_missed: true }]);
    await settledAccountOf(service, key);
  });

  it('is refused at once when its time was over before its body came', async () => {
    holding();
    const model = await busy({});
    const body = JSON.stringify(question(model));
    const connection = await RawConnection.open(service.url);
    connection.write(
      `POST ${CHAT} HTTP/1.1\r\nhost: service\r\nauthorization: Bearer ${key.raw_key}\r\n` +
        `content-type: application/json\r\ncontent-length: ${body.length}\r\nx-request-timeout-ms: 300\r\n\r\n`,
    );
    await sleep(400);
    connection.write(body);
    const { status, headers, body: refusal } = await connection.answer();
    connection.close();
    expect([status, headers['x-attempts']]).toEqual([503, '0']);
    expect(JSON.parse(refusal)).toMatchObject({ code: 'deadline_exceeded' });
    // No worker had it, so none was kept from others.
    expect(worker.requests).toHaveLength(0);
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 503, deadline_missed: true }]);
    await settledAccountOf(service, key);
  });

  it('continues after its time once the worker has begun to answer', async () => {
    worker.behaves(
      streams({ words: ['a', 'b', 'c', 'd'], before: (n) => new Promise((go) => setTimeout(go, n ? 150 : 0)) }),
    );
    const model = await busy({});
    const answer = await RawChat.ask(service, key.raw_key, question(model, { stream: true }), {
      'x-request-timeout-ms': '400',
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('[DONE]')]);
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 200, deadline_missed: true }]);
  });

  it('gets the place of a client that left during its answer', async () => {
    worker.behaves(streams({ before: (n) => (n > 1 ? new Promise(() => undefined) : undefined) }));
    const model = await busy({ target_concurrency: 1 });
    const answer = await RawChat.ask(service, key.raw_key, question(model, { stream: true }));
    await answer.chunk();
    const waiting = ask(model);
    await admitted(2);
    worker.behaves(answers());
    answer.leave();
    expect((await waiting).status).toBe(200);
    expect(worker.highest).toBeLessThanOrEqual(2);
  });

  it('gets a place at a worker that comes up elsewhere meanwhile', async () => {
    holding();
    const first = await readyProfile(org, worker, { target_concurrency: 1 });
    const second = await coldProfile(org);
    const model = await routeTo(org, [first, second]);
    const answering = [ask(model)];
    await eventually(() => expect(held).toHaveLength(1));
    answering.push(ask(model));
    await admitted(2);
    await report(org.controller, second, { endpoint: worker.url });
    await eventually(() => expect(held).toHaveLength(2));
    held.forEach((release) => release());
    const [, other] = await Promise.all(answering);
    expect(routed(other?.headers ?? {})).toMatchObject({ target: second, reason: 'fallback' });
  });
});
