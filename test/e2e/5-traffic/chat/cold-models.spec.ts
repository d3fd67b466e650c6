import OpenAI from 'openai';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import {
  settledAccountOf,
  CHAT,
  coldProfile,
  createKey,
  measured,
  openAi,
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
import { InferenceWorker } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { buildEvent, intentOf, report, reportPhase, setState, reportEvent } from '../../../support/profiles';
import type { Answer, Organisation, Service } from '../../../support/service';

/** Well below the time that any request here may wait, and well above the time of an immediate reply. */
const AT_ONCE_MS = 3_000;

interface Config {
  readonly routes: readonly JsonObject[];
}

describe('a chat with a cold model', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let profileId: string;

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
    org = await service.organisation();
    profileId = await coldProfile(org, { max_queue_depth: 200 });
    key = await createKey(org);
  });

  const ask = (model: string, headers: Record<string, string> = {}): Promise<Answer> =>
    service.as(key.raw_key).post(CHAT, question(model), headers);
  async function timed<T>(call: Promise<T>): Promise<[T, number]> {
    const since = performance.now();
    return [await call, performance.now() - since];
  }
  const asked = (id = profileId): Promise<JsonObject | undefined> => intentOf(org.viewer, id);
  /** Waits until the profile was requested. @returns the generation of the intent */
  async function woken(id = profileId): Promise<number> {
    let generation = 0;
    await eventually(async () => {
      const intent = await asked(id);
      expect(intent).toMatchObject({ desired_state: 'Active', status: 'Pending' });
      generation = Number(intent?.generation);
    });
    return generation;
  }
  const serves = (generation: number, id = profileId): Promise<Answer> =>
    report(org.controller, id, { endpoint: worker.url, observed_generation: generation });
  const reported = async (): Promise<string[]> =>
    (
      await service.db.query<{ event_type: string }>(
        "select event_type from outbox_events where org_id = $1 and event_type like 'capacity_intent.%' order by id",
        [org.id],
      )
    ).rows.map(({ event_type: type }) => type);

  describe('wakes it and waits', () => {
    it('waits for a cold start of the model that it wakes', async () => {
      const model = await routeTo(org, [profileId]);
      const answering = ask(model);
      const generation = await woken();
      expect(await asked()).toMatchObject({ desired_replicas: 1, generation: 1 });
      expect(await reported()).toEqual(['capacity_intent.requested']);
      const [status] = (await org.viewer.get('/v1/inference/routes/status')).body as JsonObject[];
      expect(status).toMatchObject({ logical_model: model, state: 'activating', pending_activation: true });
      for (const phase of ['Pending', 'Scheduling', 'Pulling', 'Loading', 'Warming'])
        await reportPhase(org.controller, profileId, phase, generation);
      expect(worker.requests).toEqual([]);
      await serves(generation);

      const [answer, lateMs] = await timed(answering);
      expect(lateMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
      expect([answer.status, routed(answer.headers)]).toEqual([
        200,
        { target: profileId, reason: 'priority', start: 'cold', attempts: '1' },
      ]);
      const queueMs = Number(answer.headers['x-queue-ms']);
      expect(queueMs).toBeGreaterThan(0);
      expect(await usageOf(service, model, 1)).toMatchObject([
        {
          status_code: 200,
          activation_path: 'cold',
          decision_source: 'priority',
          queue_ms: queueMs,
          cold_start_avoided_ms: 0,
          deadline_missed: false,
          fallback_used: false,
        },
      ]);
      expect(await asked()).toMatchObject({ status: 'Fulfilled', generation: 1 });
      expect((await settledAccountOf(service, key)).requests).toBe(1);
      // Requests that arrive then find it warm.
      expect(routed((await ask(model)).headers)).toMatchObject({ start: 'warm' });
    });

    it('waits for a restore of the model that it wakes, and records the time that a cold start would have taken longer', async () => {
      await measured(service, org, profileId, 'cold', 20_000, 24_000, 90_000);
      await measured(service, org, profileId, 'restore', 700, 900, 1_100);
      const model = await routeTo(org, [profileId]);
      const answering = RawChat.ask(service, key.raw_key, question(model, { stream: true }));
      const generation = await woken();
      const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: model })).text;
      await reportPhase(org.controller, profileId, 'Pending', generation);
      const payload = { restore_checkpoint_path: '/checkpoints/new' };
      await reportEvent(org.controller, buildEvent(clusterId, profileId, { kind: 'worker.restoring', payload }));
      await reportPhase(org.controller, profileId, 'Restoring', generation);
      await serves(generation);

      const answer = await answering;
      expect([answer.status, routed(answer.headers)]).toEqual([
        200,
        { target: profileId, reason: 'priority', start: 'restored', attempts: '1' },
      ]);
      await answer.bytes();
      const [usage] = await usageOf(service, model, 1);
      expect(usage).toMatchObject({ activation_path: 'restore', queue_ms: Number(answer.headers['x-queue-ms']) });
      // The median of the cold starts, less the time of this start; the next request saved nothing.
      const { rows } = await service.db.query<{ took: number }>(
        `select (extract(epoch from ready_at - began_at) * 1000)::float8 as took from starts where profile_id = $1 and ended_at is null`,
        [profileId],
      );
      expect(usage?.cold_start_avoided_ms).toBe(24_000 - Math.round(rows[0]?.took ?? NaN));
      await (await RawChat.ask(service, key.raw_key, question(model))).bytes();
      expect((await usageOf(service, model, 2)).at(-1)).toMatchObject({ cold_start_avoided_ms: 0, status_code: 200 });
    });

    it('wakes a model that was suspended, and waits for it', async () => {
      await reportPhase(org.controller, profileId, 'Suspended');
      const generation = Number(
        (await setState(org.operator, profileId, { desired_state: 'Suspended' })).body.generation,
      );
      await reportPhase(org.controller, profileId, 'Suspended', generation);
      const model = await routeTo(org, [profileId]);
      const answering = ask(model);
      await serves(await woken());
      expect((await answering).status).toBe(200);
    });

    it('wakes the model at once, however recently it was woken before', async () => {
      const model = await routeTo(org, [profileId]);
      const first = ask(model);
      await serves(await woken());
      expect((await first).status).toBe(200);
      expect((await setState(org.operator, profileId, { desired_state: 'Suspended' })).status).toBe(202);
      await eventually(async () => {
        const { routes } = (await org.controller.get('/v1/inference/router/config')).body as Config;
        expect(routes).toMatchObject([{ targets: [{ current_replicas: 0 }] }]);
      });
      const second = ask(model);
      const { generation } = (await asked())!;
      expect(await asked()).toMatchObject({ desired_state: 'Suspended', status: 'Pending' });
      await reportPhase(org.controller, profileId, 'Suspended', Number(generation));
      // Far shorter than the service needs to look again without being notified.
      await eventually(async () => expect(await asked()).toMatchObject({ desired_state: 'Active' }), 500);
      await serves(await woken());
      expect((await second).status).toBe(200);
    });

    it('requests as many replicas as min_replicas of the profile', async () => {
      profileId = await coldProfile(org, { min_replicas: 2, max_replicas: 3 });
      const answering = ask(await routeTo(org, [profileId]));
      const generation = await woken();
      expect(await asked()).toMatchObject({ desired_replicas: 2 });
      await serves(generation);
      expect((await answering).status).toBe(200);
    });

    it('waits without another capacity request if there is one', async () => {
      const generation = Number(
        (await setState(org.operator, profileId, { desired_state: 'Active', desired_replicas: 3 })).body.generation,
      );
      const model = await routeTo(org, [profileId]);
      const answering = ask(model);
      await eventually(async () => {
        const { rowCount } = await service.db.query('select from authorizations where key_id = $1', [key.key_id]);
        expect(rowCount).toBe(1);
      });
      await serves(generation);
      expect((await answering).status).toBe(200);
      expect(await asked()).toMatchObject({ desired_replicas: 3, generation });
      expect((await reported()).sort()).toEqual(['capacity_intent.fulfilled', 'capacity_intent.requested']);
    });

    it('makes one capacity request for a hundred chats on two replicas of the service', async () => {
      const elsewhere = await service.replica();
      const model = await routeTo(org, [profileId]);
      const answering = Array.from({ length: 100 }, (_, n) =>
        RawChat.ask(n % 2 ? elsewhere : service, key.raw_key, question(model, { stream: n % 3 === 0 })),
      );
      const generation = await woken();
      await eventually(async () => {
        const { rowCount } = await service.db.query('select from authorizations where key_id = $1', [key.key_id]);
        expect(rowCount).toBe(100);
      });
      await serves(generation);
      const answers = await Promise.all(answering);
      await Promise.all(answers.map((answer) => answer.bytes()));
      expect(answers.map(({ status, headers }) => [status, headers['x-start-kind']])).toEqual(
        answers.map(() => [200, 'cold']),
      );
      expect(worker.requests).toHaveLength(100);
      const { rows } = await service.db.query(
        'select generation::int, desired_state from capacity_intents where org_id = $1',
        [org.id],
      );
      expect(rows).toEqual([{ generation: 1, desired_state: 'Active' }]);
      expect((await reported()).filter((type) => type === 'capacity_intent.requested')).toHaveLength(1);
      expect((await settledAccountOf(service, key)).requests).toBe(100);
      await usageOf(service, model, 100);
    });
  });

  describe('goes to another target', () => {
    it('goes to another target at once if that is ready, and wakes the first', async () => {
      const fallback = await readyProfile(org, worker);
      const model = await routeTo(org, [profileId, fallback]);
      const [answer, tookMs] = await timed(ask(model));
      expect(tookMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
      expect([answer.status, routed(answer.headers)]).toEqual([
        200,
        { target: fallback, reason: 'fallback', start: 'warm', attempts: '1' },
      ]);
      expect(await usageOf(service, model, 1)).toMatchObject([
        { profile_id: fallback, decision_source: 'fallback', fallback_used: true, activation_path: 'warm' },
      ]);
      await serves(await woken());
      await eventually(async () => {
        expect(routed((await ask(model)).headers)).toMatchObject({ target: profileId, reason: 'priority' });
      });
    });

    it("goes to another target at once if the start takes longer than it may wait, and the other's is shorter", async () => {
      await measured(service, org, profileId, 'cold', 60_000, 61_000, 62_000);
      const quick = await coldProfile(org);
      await measured(service, org, quick, 'cold', 500, 600, 700);
      const model = await routeTo(org, [profileId, quick], { queue_timeout_ms: 20_000 });
      const answering = ask(model);
      await serves(await woken(quick), quick);
      const answer = await answering;
      expect([answer.status, routed(answer.headers)]).toEqual([
        200,
        { target: quick, reason: 'fallback', start: 'cold', attempts: '1' },
      ]);
    });

    it('goes to another target that comes up while it waits for the first', async () => {
      const second = await coldProfile(org);
      const model = await routeTo(org, [profileId, second]);
      const answering = ask(model);
      await woken();
      await report(org.controller, second, { endpoint: worker.url });
      expect(routed((await answering).headers)).toEqual({
        target: second,
        reason: 'fallback',
        start: 'cold',
        attempts: '1',
      });
    });

    it('goes to another target, which it wakes, if the start of the first hangs', async () => {
      await measured(service, org, profileId, 'cold', 1_000);
      const next = await coldProfile(org);
      const model = await routeTo(org, [profileId, next]);
      const answering = ask(model);
      await woken();
      expect(await asked(next)).toBeUndefined();
      await service.db.query(
        "update capacity_intents set requested_at = requested_at - interval '1 minute' where profile_id = $1",
        [profileId],
      );
      await serves(await woken(next), next);
      expect(routed((await answering).headers)).toEqual({
        target: next,
        reason: 'fallback',
        start: 'cold',
        attempts: '1',
      });
      expect(await asked()).toMatchObject({ status: 'Pending', generation: 1 });
    });

    it('goes to another target if the first is being drained', async () => {
      const primary = await readyProfile(org, worker);
      const fallback = await readyProfile(org, worker);
      await reportPhase(org.controller, primary, 'Draining');
      const model = await routeTo(org, [primary, fallback]);
      expect(routed((await ask(model)).headers)).toMatchObject({ target: fallback, reason: 'fallback' });
      // A recent request to release it is not overruled.
      expect(await asked(primary)).toBeUndefined();
    });
  });

  describe('answers 503', () => {
    const expectRefused = (answer: Answer, code: string): number => {
      expect([answer.status, answer.body.code, answer.body.error?.type]).toEqual([503, code, 'server_error']);
      expect(routed(answer.headers)).toEqual({ target: null, reason: null, start: null, attempts: '0' });
      expect(answer.headers['x-queue-ms']).toMatch(/^\d+$/);
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
      const seconds = Number(answer.headers['retry-after']);
      // The official clients wait for a minute at most: beyond that they retry at once, and give up.
      const milliseconds = Number(answer.headers['retry-after-ms']);
      expect(milliseconds).toBeGreaterThan(Math.min(seconds * 1_000 - 1_000, 58_999));
      expect(milliseconds).toBeLessThanOrEqual(Math.min(seconds * 1_000, 59_000));
      return seconds;
    };

    it('answers 503 at once if no start can end in time, and states when the current start will', async () => {
      await measured(service, org, profileId, 'cold', 40_000, 42_000, 500_000);
      await reportPhase(org.controller, profileId, 'Loading');
      await service.db.query(
        "update starts set began_at = began_at - interval '12 seconds' where profile_id = $1 and ended_at is null",
        [profileId],
      );
      const model = await routeTo(org, [profileId], { queue_timeout_ms: 10_000 });
      const [answer, tookMs] = await timed(ask(model));
      expect(tookMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
      // The median less the elapsed time.
      const retryAfter = expectRefused(answer, 'model_not_ready');
      expect(retryAfter).toBeLessThanOrEqual(30);
      expect(retryAfter).toBeGreaterThan(30 - onThisMachine(AT_ONCE_MS) / 1_000);
      expect(await usageOf(service, model, 1)).toMatchObject([
        { status_code: 503, deadline_missed: true, cost_usd: 0, profile_id: null, upstream_attempts: 0 },
      ]);
      expect(await settledAccountOf(service, key)).toEqual({ spent: 0, overrun: 0, requests: 1 });
    });

    it('answers 503 with the median of restores if a worker is being restored', async () => {
      await measured(service, org, profileId, 'cold', 300_000);
      await measured(service, org, profileId, 'restore', 20_000);
      const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: profileId })).text;
      await reportPhase(org.controller, profileId, 'Pending');
      const payload = { restore_checkpoint_path: '/checkpoints/new' };
      await reportEvent(org.controller, buildEvent(clusterId, profileId, { kind: 'worker.restoring', payload }));
      const model = await routeTo(org, [profileId], { queue_timeout_ms: 5_000 });
      const retryAfter = expectRefused(await ask(model), 'model_not_ready');
      expect(retryAfter).toBeLessThanOrEqual(20);
      expect(retryAfter).toBeGreaterThan(20 - onThisMachine(AT_ONCE_MS) / 1_000);
    });

    it("answers 503 with the operator's estimate if nothing was measured, and wakes the target for the next request", async () => {
      profileId = await coldProfile(org, { estimated_cold_start_ms: 90_000 });
      const model = await routeTo(org, [profileId], { queue_timeout_ms: 1_000 });
      expect(expectRefused(await ask(model), 'model_not_ready')).toBe(90);
      await woken();
    });

    it('answers 503 when its time in the queue is over', async () => {
      const model = await routeTo(org, [profileId], { queue_timeout_ms: 400 });
      const answer = await ask(model);
      expectRefused(answer, 'model_not_ready');
      expect(Number(answer.headers['x-queue-ms'])).toBeGreaterThanOrEqual(300);
      expect(Number(answer.headers['x-queue-ms'])).toBeLessThan(onThisMachine(AT_ONCE_MS));
      const error: unknown = await openAi(service, key.raw_key)
        .chat.completions.create({ model, messages: [] })
        .catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error).toMatchObject({ status: 503, code: 'model_not_ready', type: 'server_error' });
      const record = { status_code: 503, deadline_missed: true, cost_usd: 0 };
      expect(await usageOf(service, model, 2)).toMatchObject([record, record]);
      expect(worker.requests).toEqual([]);
    });

    it('answers 503 when the time is over that the request sets, however long its route would wait', async () => {
      const model = await routeTo(org, [profileId]);
      const codes: unknown[] = [];
      for (let times = 0; times < 10; times++) {
        const [answer, tookMs] = await timed(ask(model, { 'x-request-timeout-ms': '150' }));
        codes.push([answer.status, answer.body.code]);
        expect(tookMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
        expect(Number(answer.headers['x-queue-ms'])).toBeGreaterThan(0);
      }
      expect(codes).toEqual(codes.map(() => [503, 'model_not_ready']));
    });

    it('answers 503 when its time is over, and states how long the current start goes on', async () => {
      await measured(service, org, profileId, 'cold', 1_000);
      const model = await routeTo(org, [profileId]);
      const answering = ask(model, { 'x-request-timeout-ms': '2000' });
      const generation = await woken();
      // Meanwhile starts take a minute, and this one was requested long before it began.
      await measured(service, org, profileId, 'cold', 60_000, 60_000);
      await service.db.query(
        "update capacity_intents set requested_at = requested_at - interval '40 s' where profile_id = $1",
        [profileId],
      );
      await reportPhase(org.controller, profileId, 'Loading', generation);
      const retryAfter = expectRefused(await answering, 'model_not_ready');
      expect(retryAfter).toBeGreaterThanOrEqual(60 - onThisMachine(AT_ONCE_MS) / 1_000);
      expect(retryAfter).toBeLessThanOrEqual(60);
    });

    it('answers 503 at once if its route does not allow waiting, and wakes the target for the next request', async () => {
      const model = await routeTo(org, [profileId], { queue_timeout_ms: 0 });
      const [answer, tookMs] = await timed(ask(model));
      expectRefused(answer, 'model_not_ready');
      expect(tookMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
      await serves(await woken());
      await eventually(async () => expect((await ask(model)).status).toBe(200));
    });

    it('answers 503 as soon as its start has failed', async () => {
      const model = await routeTo(org, [profileId], { queue_timeout_ms: 30_000 });
      const answering = ask(model);
      const generation = await woken();
      await reportPhase(org.controller, profileId, 'Loading', generation);
      await reportPhase(org.controller, profileId, 'Failed', generation);
      const [answer, lateMs] = await timed(answering);
      expect(lateMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
      expectRefused(answer, 'model_unavailable');
      // It is not requested again at once.
      expectRefused(await ask(model), 'model_unavailable');
      expect(await asked()).toMatchObject({ status: 'Failed', generation });
    });

    it('answers 503 when its worker is no longer ready, and is served when the worker is ready again', async () => {
      const primary = await readyProfile(org, worker);
      const model = await routeTo(org, [primary], { queue_timeout_ms: 0 });
      expect((await ask(model)).status).toBe(200);
      await report(org.controller, primary, { ready: false, phase: 'Warming', endpoint: worker.url });
      await eventually(async () => expect((await ask(model)).status).toBe(503));
      await report(org.controller, primary, { endpoint: worker.url });
      await eventually(async () => expect((await ask(model)).status).toBe(200));
    });
  });
});
