import type { OrgContext } from '../../../../src/1-platform/auth/org-context';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { CapacityIntentsService } from '../../../../src/4-serving/capacity-intents/capacity-intents.service';
import {
  CHAT,
  coldProfile,
  createKey,
  measured,
  question,
  readyProfile,
  routed,
  routeTo,
  serviceFor,
  settledAccountOf,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { budgetedFleet, rate } from '../../../support/fleets';
import { authorized, resolve } from '../../../support/inference';
import { InferenceWorker } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { passTime } from '../../../support/monotonic-time';
import { intentOf, report, setState } from '../../../support/profiles';
import type { Answer, Caller, Organisation, Service } from '../../../support/service';

/** Well below the time that any request here may wait, and well above the time of an immediate reply. */
const AT_ONCE_MS = 3_000;
/** For how long a refusal is remembered. */
const REFUSED_MS = 5_000;

describe('a profile whose wake-up would exceed the budget of its fleet', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let fleetId: string;
  let costly: string;

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
    key = await createKey(org);
    costly = await coldProfile(org, { max_queue_depth: 200 });
    await rate(org, costly, 2);
    fleetId = await budgetedFleet(org, 1, [costly]);
  });

  const raise = () => budgetedFleet(org, 2, [costly], fleetId);
  const ask = (model: string, headers: Record<string, string> = {}): Promise<Answer> =>
    service.as(key.raw_key).post(CHAT, question(model), headers);
  async function timed(call: Promise<Answer>): Promise<[Answer, number]> {
    const since = performance.now();
    return [await call, performance.now() - since];
  }
  const asked = (id: string): Promise<JsonObject | undefined> => intentOf(org.viewer, id);
  /** Waits until the profile was requested. @returns the generation of the intent */
  async function woken(id: string): Promise<number> {
    await eventually(async () => expect(await asked(id)).toMatchObject({ desired_state: 'Active', status: 'Pending' }));
    return Number((await asked(id))?.generation);
  }
  const serves = async (id: string): Promise<void> => {
    const observed_generation = await woken(id);
    expect((await report(org.controller, id, { endpoint: worker.url, observed_generation })).status).toBe(204);
  };
  /** Refused at once, with the time after which a retry makes sense. */
  function expectRefused([answer, tookMs]: [Answer, number], code = 'model_unavailable'): void {
    expect([answer.status, answer.body.code]).toEqual([503, code]);
    expect(tookMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(5);
  }

  describe('keeps no chat waiting, which', () => {
    it('answers 503 at once, costs nothing, and leaves no intent', async () => {
      const model = await routeTo(org, [costly]);
      expectRefused(await timed(ask(model)));
      // The refusal is remembered now.
      expectRefused(await timed(ask(model)));
      expect(await asked(costly)).toBeUndefined();
      const refused = { status_code: 503, profile_id: null, cost_usd: 0, deadline_missed: false };
      expect(await usageOf(service, model, 2)).toMatchObject([refused, refused]);
      expect(await settledAccountOf(service, key)).toEqual({ spent: 0, overrun: 0, requests: 2 });
    });

    it('answers 503 for a hundred concurrent requests', async () => {
      const model = await routeTo(org, [costly]);
      const answers = await Promise.all(Array.from({ length: 100 }, () => timed(ask(model))));
      for (const answer of answers) expectRefused(answer);
      // None of them is left in its queue.
      await raise();
      passTime(REFUSED_MS);
      const answering = ask(model);
      await serves(costly);
      expect((await answering).status).toBe(200);
    });

    it('is served by the next target, and wakes the first one as soon as the budget allows', async () => {
      const fallback = await readyProfile(org, worker);
      const model = await routeTo(org, [costly, fallback]);
      for (let times = 0; times < 3; times++) {
        const [answer, tookMs] = await timed(ask(model));
        expect(routed(answer.headers)).toEqual({
          target: fallback,
          reason: 'fallback',
          start: 'warm',
          attempts: '1',
        });
        expect(tookMs).toBeLessThan(onThisMachine(AT_ONCE_MS));
      }
      expect(await asked(costly)).toBeUndefined();
      await raise();
      passTime(REFUSED_MS);
      expect((await ask(model)).status).toBe(200);
      await woken(costly);
      await serves(costly);
      await eventually(async () => expect(routed((await ask(model)).headers)).toMatchObject({ target: costly }));
    });

    it('wakes the next target, and waits for it', async () => {
      const fallback = await coldProfile(org);
      const model = await routeTo(org, [costly, fallback]);
      const answering = ask(model);
      await serves(fallback);
      const answer = await answering;
      expect([answer.status, routed(answer.headers)]).toEqual([
        200,
        { target: fallback, reason: 'fallback', start: 'cold', attempts: '1' },
      ]);
      expect(await asked(costly)).toBeUndefined();
    });

    it('answers 503 if the next target may not be woken either', async () => {
      const fallback = await coldProfile(org);
      await rate(org, fallback, 3);
      await budgetedFleet(org, 1, [costly, fallback], fleetId);
      expectRefused(await timed(ask(await routeTo(org, [costly, fallback]))));
      expect([await asked(costly), await asked(fallback)]).toEqual([undefined, undefined]);
    });

    it('answers 503 if the next target takes too long to start', async () => {
      const fallback = await coldProfile(org);
      await measured(service, org, fallback, 'cold', 60_000);
      const model = await routeTo(org, [costly, fallback], { queue_timeout_ms: 20_000 });
      expectRefused(await timed(ask(model)), 'model_not_ready');
    });

    it('waits for the next target only as far as its queue has room', async () => {
      const fallback = await coldProfile(org, { max_queue_depth: 3 });
      const model = await routeTo(org, [costly, fallback]);
      const answering = Promise.all(Array.from({ length: 8 }, () => timed(ask(model))));
      await eventually(async () => {
        const { rowCount } = await service.db.query(
          'select from authorizations where key_id = $1 and settled_at is not null',
          [key.key_id],
        );
        expect(rowCount).toBe(5);
      });
      await serves(fallback);
      const answers = (await answering).map(([{ status, body }]) => [status, body.code]);
      expect(answers.filter(([status]) => status === 200)).toHaveLength(3);
      expect(answers.filter(([status]) => status !== 200)).toEqual(
        Array.from({ length: 5 }, () => [503, 'queue_full']),
      );
    });

    it('answers 503 while other profiles use up the budget, and wakes the target once they are given up', async () => {
      const other = await coldProfile(org);
      await rate(org, other, 1);
      await budgetedFleet(org, 2, [costly, other], fleetId);
      expect((await setState(org.operator, other, { desired_state: 'Active' })).status).toBe(202);
      const model = await routeTo(org, [costly]);
      expectRefused(await timed(ask(model)));
      expect((await setState(org.operator, other, { desired_state: 'Suspended' })).status).toBe(202);
      passTime(REFUSED_MS);
      await ask(model, { 'x-request-timeout-ms': '500' });
      await woken(costly);
    });
  });

  it('is woken with as many replicas as the budget allows', async () => {
    const many = await coldProfile(org, { min_replicas: 4, max_replicas: 8 });
    const other = await coldProfile(org);
    for (const id of [many, other]) await rate(org, id, 2.5);
    await budgetedFleet(org, 10, [many, other]);
    expect((await setState(org.operator, other, { desired_state: 'Active' })).status).toBe(202);
    const answering = ask(await routeTo(org, [many]));
    await woken(many);
    expect(await asked(many)).toMatchObject({ desired_replicas: 3, reason: 'A budget allows 3.' });
    const { body } = await org.admin.get('/v1/audit?limit=100');
    expect((body as JsonObject[]).map(({ details }) => details)).toContainEqual(
      expect.objectContaining({ profile_id: many, desired_replicas: 3, reason: 'A budget allows 3.' }),
    );
    await serves(many);
    expect((await answering).status).toBe(200);
  });

  it('keeps the replicas that are requested, although the budget would allow fewer of them by now', async () => {
    const many = await coldProfile(org, { max_replicas: 8 });
    await rate(org, many, 1);
    const fleet = await budgetedFleet(org, 4, [many]);
    expect((await setState(org.operator, many, { desired_state: 'Active', desired_replicas: 4 })).status).toBe(202);
    const generation = await woken(many);
    await budgetedFleet(org, 2, [many], fleet);
    const context = { orgId: org.id, actorId: 'a-router', role: 'service', operation: 'wake', requestId: newId() };
    for (const replicas of [1, 8]) {
      await service.app.get(CapacityIntentsService).wake(context as OrgContext, many, replicas);
      expect(await asked(many)).toMatchObject({ desired_state: 'Active', desired_replicas: 4, generation });
    }
  });

  describe('is given to no router, which', () => {
    const resolved = async (model: string): Promise<Answer> => {
      const caller: Caller = service.as(key.raw_key);
      return resolve(org.controller, await authorized(caller, model));
    };

    it('is asked to retry later', async () => {
      const model = await routeTo(org, [costly]);
      for (let times = 0; times < 2; times++) expectRefused(await timed(resolved(model)));
      expect(await asked(costly)).toBeUndefined();
    });

    it('is asked to retry later for each of many concurrent requests', async () => {
      const model = await routeTo(org, [costly]);
      const answers = await Promise.all(Array.from({ length: 20 }, () => timed(resolved(model))));
      for (const answer of answers) expectRefused(answer);
    });

    it('gets the next target', async () => {
      const fallback = await readyProfile(org, worker);
      const { status, body } = await resolved(await routeTo(org, [costly, fallback]));
      expect([status, body]).toMatchObject([200, { profile_id: fallback, fallback_used: true }]);
    });

    it('waits for the next target, which is woken', async () => {
      const fallback = await coldProfile(org);
      const { status, body } = await resolved(await routeTo(org, [costly, fallback]));
      expect([status, body]).toMatchObject([202, { pending_profile_id: fallback }]);
      expect(await asked(fallback)).toMatchObject({ desired_state: 'Active', status: 'Pending' });
    });
  });
});
