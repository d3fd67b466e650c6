import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { Notifications } from '../../../../src/1-platform/database/connections/notifications';
import { Autoscaler } from '../../../../src/5-traffic/autoscaling/autoscaler.service';
import { ProfileLoads } from '../../../../src/5-traffic/routes/choice/profile-loads';
import { CHAT, coldProfile, PRICED, question, readyProfile, routeTo } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { authorized, issueKey, resolve, routersSee, sendTelemetry, type Authorized } from '../../../support/inference';
import { answers, InferenceWorker } from '../../../support/inference-worker';
import { budgetedFleet, rate, ratedProfile } from '../../../support/fleets';
import { intentOf, report, setState } from '../../../support/profiles';
import { Service, type Organisation, type Replica } from '../../../support/service';

const IDLE_SECONDS = 600;

describe('automatic scaling', () => {
  let worker: InferenceWorker;
  let service: Service;
  let replica: Replica;
  let org: Organisation;
  let profileId: string;
  let model: string;
  let open: () => void;
  /** Of the ticks: it never goes back. */
  let now = performance.now();
  /** Ends all requests in progress. */
  let letGo: () => Promise<void>;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await Service.start({ workerEndpointAllow: [worker.host] });
    replica = await service.replica();
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    worker.reset();
    const opened = new Promise<void>((resolve) => (open = resolve));
    const answer = answers();
    worker.behaves(async (exchange) => opened.then(() => answer(exchange)));
    await made();
  });
  afterEach(() => letGo?.());

  /** A profile with a ready worker, as many replicas as were requested, and a route. */
  const made = async (overrides: JsonObject = {}, replicas = 1) => {
    profileId = await coldProfile(org, {
      spec: { worker: { command: ['engine'] } },
      backend_url: undefined,
      target_concurrency: 2,
      max_replicas: 4,
      scale_down_idle_seconds: IDLE_SECONDS,
      ...overrides,
    });
    model = await routeTo(org, [profileId]);
    await setState(org.operator, profileId, { desired_state: 'Active', desired_replicas: replicas });
    await serves(replicas);
  };
  /** The controller has observed the newest intent. */
  const reports = async (overrides: JsonObject) => {
    const { generation } = (await intent())!;
    expect((await report(org.controller, profileId, { observed_generation: generation, ...overrides })).status).toBe(
      204,
    );
  };
  const serves = async (replicas: number) => {
    const workers = Array.from({ length: replicas }, () => ({
      workload_uid: newId(),
      endpoint: worker.url,
      ready: true,
    }));
    await reports({ workers });
    // Requests are sent to these workers a moment later.
    await routersSee(org.controller, profileId, { current_replicas: replicas });
  };
  /** Requests that stay in progress, or wait. @param through the replica that gets them */
  const ask = async (count: number, through: Pick<Replica, 'app' | 'as'> = service) => {
    const running = Array.from({ length: count }, () => through.as(org.operator.token).post(CHAT, question(model)));
    letGo = async () => {
      open();
      await Promise.all(running);
    };
    await eventually(() => {
      const { running: served, waiting } = through.app.get(ProfileLoads).demand(org.id, profileId);
      expect(served + waiting).toBe(count);
    });
  };
  const intent = () => intentOf(org.viewer, profileId);
  const scaler = () => service.app.get(Autoscaler);
  const tick = (milliseconds: number, by = scaler()) => by.tick((now += milliseconds));
  /** Ticks until the demand is seen, which another replica reports four times a second. */
  const scaled = async (expected: JsonObject, by = scaler()) => {
    await eventually(async () => {
      await tick(3_000, by);
      expect(await intent()).toMatchObject(expected);
    });
  };
  /** Nothing was requested or used for this long. */
  const pass = async (seconds: number) => {
    for (const [table, column] of [
      ['capacity_intents', 'requested_at'],
      ['starts', 'ready_at'],
    ])
      await service.db.query(
        `update ${table} set ${column} = ${column} - make_interval(secs => $2) where profile_id = $1`,
        [profileId, seconds],
      );
  };
  /** Its request has ended so. */
  const ended = (status: string, secondsAgo = 0) =>
    service.db.query(
      `update capacity_intents set status = $2, updated_at = clock_timestamp() - make_interval(secs => $3)
       where profile_id = $1`,
      [profileId, status, secondsAgo],
    );
  /** The demand is watched for a minute before anything is taken away. */
  const watched = async () => {
    await tick(3_000);
    await tick(61_000);
  };
  /** What the service itself remembers of the last request is as old. */
  const forgotten = () => tick(IDLE_SECONDS * 1_000 + 1);
  /** Requests that have just come may still wake the profile, each by one more intent. */
  const woken = async () => {
    let before = await intent();
    await eventually(async () => {
      const last = before;
      await sleep(100);
      before = await intent();
      expect(before).toEqual(last);
    });
    return before;
  };
  const unchanged = async () => {
    const before = await woken();
    for (let ticks = 0; ticks < 3; ticks++) await tick(3_000);
    expect(await intent()).toEqual(before);
  };

  it('requests as many workers as running and waiting requests need, and says why', async () => {
    await ask(5);
    await scaled({
      desired_state: 'Active',
      desired_replicas: 3,
      reason: expect.stringMatching(/^2 running and 3 waiting requests need 3 workers, 2 at a time each\.$/),
    });
    const { body } = await org.admin.get('/v1/audit?limit=100');
    expect((body as JsonObject[]).filter(({ actor_role: role }) => role === 'service')).toContainEqual(
      expect.objectContaining({
        actor_id: 'autoscaling',
        action: 'scale_profile',
        resource_type: 'capacity_intent',
        details: expect.objectContaining({ profile_id: profileId, desired_replicas: 3, reason: expect.any(String) }),
      }),
    );
    // The new workers take those that wait.
    await serves(3);
    await eventually(() => expect(worker.underWay).toBe(5));
  });

  it('makes one decision, however many replicas of the service make it at once', async () => {
    const before = await intent();
    await ask(7);
    const scalers = [scaler(), replica.app.get(Autoscaler)];
    await eventually(async () => {
      now += 3_000;
      await Promise.all(scalers.map((one) => tick(0, one)));
      expect(await intent()).toMatchObject({ desired_replicas: 4 });
    });
    for (const one of scalers) await tick(3_000, one);
    expect((await intent())!.generation).toBe(Number(before!.generation) + 1);
  });

  it('counts the requests of all replicas of the service', async () => {
    await ask(3, replica);
    await scaled({ desired_replicas: 2 });
  });

  it('suspends a profile that nobody uses, and a request wakes it', async () => {
    open();
    expect((await org.operator.post(CHAT, question(model))).status).toBe(200);
    await pass(IDLE_SECONDS + 1);
    // A request since then keeps it up.
    await watched();
    await unchanged();
    await service.db.query(
      'update usage_records set occurred_at = occurred_at - make_interval(secs => 601) where profile_id = $1',
      [profileId],
    );
    await forgotten();
    await scaled({
      desired_state: 'Suspended',
      desired_replicas: 0,
      reason: expect.stringMatching(/^There was no request for 6\d\d seconds\.$/),
    });
    await reports({ phase: 'Suspended', desired_state: 'Suspended', ready: false, workers: [] });
    expect(await intent()).toMatchObject({ status: 'Fulfilled' });
    // Until then, the worker that has just gone may get a request.
    await routersSee(org.controller, profileId, { ready: false });
    const waiting = org.operator.post(CHAT, question(model));
    await eventually(async () => expect(await intent()).toMatchObject({ desired_state: 'Active', status: 'Pending' }));
    expect(await intent()).not.toHaveProperty('reason');
    await serves(1);
    expect((await waiting).status).toBe(200);
  });

  it('suspends no classifier that requests use, through whichever replica of the service they came', async () => {
    open();
    // The ticks of earlier tests are ahead of the clock by which a use is remembered.
    const idleSeconds = IDLE_SECONDS + Math.ceil((now - performance.now()) / 1_000);
    await made({ scale_down_idle_seconds: idleSeconds });
    const classified = await routeTo(org, [await readyProfile(org, worker, { backend_url: worker.url })], {
      mode: 'classifier',
      classifier_profile_id: profileId,
    });
    const loads = service.app.get(ProfileLoads);
    // The other replica learns of the route, and of the classifier's worker, a moment later.
    await eventually(async () => {
      expect((await replica.as(org.operator.token).post(CHAT, question(classified))).status).toBe(200);
      expect(loads.unusedForMs(org.id, profileId, performance.now())).toBeLessThan(60_000);
    });
    // All have been answered: what is left is that somebody was there.
    await eventually(() => expect(loads.demand(org.id, profileId)).toEqual({ running: 0, waiting: 0 }));
    await pass(idleSeconds + 1);
    await watched();
    await unchanged();
    expect(await intent()).toMatchObject({ desired_state: 'Active' });
    await tick(idleSeconds * 1_000 + 1);
    await scaled({ desired_state: 'Suspended', desired_replicas: 0 });
  });

  it('suspends a profile whose only requests are refused for their budget', async () => {
    open();
    // The ticks of earlier tests are ahead of the clock by which a use is remembered.
    const idleSeconds = IDLE_SECONDS + Math.ceil((now - performance.now()) / 1_000);
    const spec = { ...(PRICED.spec as JsonObject), worker: { command: ['engine'] } };
    await made({ spec, scale_down_idle_seconds: idleSeconds });
    await routersSee(org.controller, profileId, { ready: true });
    for (let keys = 0; keys < 3; keys++) {
      const poor = await issueKey(service, org, { budget_usd: 0.000_001 });
      expect((await poor.post(CHAT, question(model))).body).toMatchObject({ code: 'insufficient_quota' });
    }
    await pass(idleSeconds + 1);
    await watched();
    expect(await intent()).toMatchObject({ desired_state: 'Suspended', desired_replicas: 0 });
  });

  it('keeps the fewest replicas of an idle profile', async () => {
    await made({ min_replicas: 2 }, 3);
    await pass(IDLE_SECONDS + 1);
    await watched();
    await scaled({ desired_state: 'Active', desired_replicas: 2 });
    await pass(IDLE_SECONDS + 1);
    await unchanged();
  });

  it('gives up replicas after a steady minute', async () => {
    await made({}, 3);
    await ask(1);
    await pass(120);
    await tick(3_000);
    await tick(30_000);
    expect(await intent()).toMatchObject({ desired_replicas: 3 });
    await tick(31_000);
    expect(await intent()).toMatchObject({
      desired_replicas: 1,
      reason: expect.stringContaining('At most 1 requests at a time in 60 seconds'),
    });
  });

  it('gives up no replicas for a minute after it may have missed the demand at other replicas', async () => {
    await made({}, 3);
    await watched();
    await pass(120);
    const resumed = new Promise<void>((resolve) => service.app.get(Notifications).onResumed(resolve));
    const { rowCount } = await service.db.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and query like 'listen %' and application_name = 'checkpoint-control-plane'`,
    );
    expect(rowCount).toBe(2);
    await resumed;
    await tick(3_000);
    await tick(59_000);
    expect(await intent()).toMatchObject({ desired_replicas: 3 });
    await tick(2_000);
    expect(await intent()).toMatchObject({ desired_replicas: 1 });
  });

  it('gives up no replicas while it does not hear of the demand at other replicas', async () => {
    await made({}, 3);
    await watched();
    await pass(120);
    const isListening = jest.spyOn(service.app.get(Notifications), 'isListening', 'get').mockReturnValue(false);
    for (let ticks = 0; ticks < 3; ticks++) await tick(30_000);
    expect(await intent()).toMatchObject({ desired_replicas: 3 });
    isListening.mockRestore();
    await tick(3_000);
    expect(await intent()).toMatchObject({ desired_replicas: 1 });
  });

  describe('of a profile whose requests external routers send', () => {
    /** Requests that are sent to the profile, and not reported. */
    const routed = async (count: number): Promise<Authorized[]> => {
      await routersSee(org.controller, profileId, { ready: true });
      const key = await issueKey(service, org);
      const requests = await Promise.all(Array.from({ length: count }, () => authorized(key, model)));
      for (const request of requests)
        expect(await resolve(org.controller, request)).toMatchObject({
          status: 200,
          body: { profile_id: profileId },
        });
      return requests;
    };

    it('does not suspend it during a request', async () => {
      const [request] = await routed(1);
      await pass(IDLE_SECONDS + 1);
      await watched();
      await forgotten();
      await unchanged();
      expect(await intent()).toMatchObject({ desired_state: 'Active' });
      expect((await sendTelemetry(org.controller, request!)).status).toBe(200);
      await service.db.query(
        'update usage_records set occurred_at = occurred_at - make_interval(secs => 601) where profile_id = $1',
        [profileId],
      );
      // It was used a moment ago.
      await unchanged();
      expect(await intent()).toMatchObject({ desired_state: 'Active' });
      await forgotten();
      await scaled({ desired_state: 'Suspended', desired_replicas: 0 });
    });

    it('counts a request whose report is lost for ten minutes only', async () => {
      await routed(1);
      const age = (minutes: number) =>
        service.db.query(
          'update authorizations set resolved_at = resolved_at - make_interval(mins => $2) where profile_id = $1',
          [profileId, minutes],
        );
      await age(9);
      await pass(IDLE_SECONDS + 1);
      await watched();
      await forgotten();
      await unchanged();
      expect(await intent()).toMatchObject({ desired_state: 'Active' });
      await age(2);
      await forgotten();
      await scaled({ desired_state: 'Suspended', desired_replicas: 0 });
    });

    it('keeps the replicas that they need, and requests no more', async () => {
      await made({}, 4);
      await routed(5);
      await pass(120);
      await watched();
      expect(await intent()).toMatchObject({
        desired_replicas: 3,
        reason: expect.stringContaining('At most 5 requests at a time in 60 seconds'),
      });
      await serves(3);
      await routed(3);
      await unchanged();
    });
  });

  it('requests no more than the budget of a fleet allows', async () => {
    await rate(org, profileId, 2);
    await budgetedFleet(org, 4, [profileId]);
    await ask(8);
    await scaled({ desired_replicas: 2 });
    await serves(2);
    await unchanged();
  });

  it('asks the budget of a fleet again after a failure, also for fewer replicas', async () => {
    await made({}, 3);
    const other = await ratedProfile(org, 2, { backend_url: worker.url });
    await rate(org, profileId, 2);
    await budgetedFleet(org, 6, [profileId, other]);
    // What has failed costs nothing, so others may get its budget.
    await reports({ phase: 'Failed', ready: false, workers: [] });
    await ended('Failed', 31);
    await setState(org.operator, other, { desired_state: 'Active', desired_replicas: 3 });
    await pass(120);
    await watched();
    expect(await intent()).toMatchObject({ desired_replicas: 3, status: 'Failed' });
    await setState(org.operator, other, { desired_state: 'Active', desired_replicas: 2 });
    await tick(31_000);
    await scaled({ desired_replicas: 1, status: 'Pending' });
  });

  it('does not renew a request whose deadline has passed, but for requests that wait', async () => {
    await made({ min_replicas: 1 }, 3);
    await reports({ phase: 'Suspended', ready: false, workers: [] });
    await ended('Expired');
    await pass(IDLE_SECONDS + 1);
    await watched();
    expect(await intent()).toMatchObject({ desired_replicas: 3, status: 'Expired' });
    await serves(1);
    await ask(7);
    await scaled({ desired_replicas: 4, status: 'Pending' });
  });

  it.each([
    ['fewer than it named', 3, 3, 2],
    ['as many as it named', 5, 3, 3],
    ['as many as it named, because a budget allows no more', 7, 2, 2],
  ])('renews an expired request once for requests that wait: for %s', async (_what, requests, named, expected) => {
    await made({ min_replicas: 1 }, named);
    await rate(org, profileId, 2);
    await budgetedFleet(org, 2 * Math.max(expected, 2), [profileId]);
    await serves(1);
    await ended('Expired');
    await watched();
    const { generation } = (await intent())!;
    await ask(requests);
    await scaled({ desired_replicas: expected, status: 'Pending', deadline: null });
    expect((await intent())!.generation).toBe(Number(generation) + 1);
    await unchanged();
  });

  it('leaves a profile alone that is not to be scaled', async () => {
    await made({ autoscale: false });
    await ask(5);
    await unchanged();
  });

  it('leaves a profile alone that failed a moment ago', async () => {
    await ask(5);
    await woken();
    await ended('Failed');
    await unchanged();
    await ended('Failed', 31);
    await tick(3_000);
    expect(await intent()).toMatchObject({ desired_replicas: 3 });
  });
});
