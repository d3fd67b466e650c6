import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import type { RoutedProfile } from '../../../../src/5-traffic/routes/choice/routing-table';
import { RoutingTables } from '../../../../src/5-traffic/routes/choice/routing-tables.service';
import { measured, PRICED } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import {
  accountOf,
  authorized,
  buildModel,
  issueKey,
  ledgerOf,
  resolve,
  routersSee,
  saveRoute,
  sendTelemetry,
  type Authorized,
  type IssuedKey,
} from '../../../support/inference';
import { buildArtifact, buildEvent, intentOf, report, setState, reportEvent } from '../../../support/profiles';
import { Service, type Answer, type Organisation } from '../../../support/service';

const EXACT_MODEL = 'meta-llama/Llama-3.1-8B-Instruct';

describe('an authorization', () => {
  let service: Service;
  let org: Organisation;
  let key: IssuedKey;
  let model: string;
  let first: string;
  let second: string;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    key = await issueKey(service, org);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    const built = await buildModel(org, [PRICED, PRICED]);
    model = built.model;
    [first = '', second = ''] = built.profileIds;
  });

  const codeOf = ({ status, body }: Answer) => [status, body.code];
  const bringUp = async (profileId: string): Promise<void> => {
    expect((await report(org.controller, profileId)).status).toBe(204);
    await routersSee(org.controller, profileId, { ready: true });
  };
  const asked = (overrides: JsonObject = {}) => authorized(key, model, overrides);
  const resolved = async (overrides: JsonObject = {}): Promise<Answer> =>
    resolve(org.controller, await asked(), overrides);
  const row = async ({ authorization_id }: Authorized): Promise<JsonObject> =>
    (
      await service.db.query<JsonObject>(
        `select profile_id, resolved_at is not null as resolved, settled_at is not null as settled,
           extract(epoch from held_until - clock_timestamp())::float8 as held_seconds from authorizations where id = $1`,
        [authorization_id],
      )
    ).rows[0] ?? {};
  const backDate = ({ authorization_id }: Authorized) =>
    service.db.query(
      "update authorizations set expires_at = clock_timestamp() - interval '1 millisecond' where id = $1",
      [authorization_id],
    );

  /** As if the request had waited since then: a start takes longer than a test. */
  const letWait = ({ authorization_id }: Authorized) =>
    service.db.query("update authorizations set created_at = created_at - interval '20 seconds' where id = $1", [
      authorization_id,
    ]);

  describe('of a served model', () => {
    it('resolves to the first target that is ready', async () => {
      await bringUp(first);
      const request = await asked();
      const { status, body } = await resolve(org.controller, request);
      expect([status, body]).toEqual([
        200,
        {
          profile_id: first,
          target_name: `tier-1/${first}`,
          upstream_model: EXACT_MODEL,
          worker_url: 'http://llama-8b.models.svc:8000',
          route_generation: 1,
          decision_source: 'priority',
          fallback_used: false,
          activation_path: 'warm',
        },
      ]);
      const { held_seconds: heldSeconds, ...rest } = await row(request);
      expect(rest).toEqual({ profile_id: first, resolved: true, settled: false });
      // The router has an hour to settle it.
      expect(Math.abs(Number(heldSeconds) - 3_600)).toBeLessThan(60);
      expect(await intentOf(org.viewer, first)).toBeUndefined();
    });

    it('is used up by its resolution', async () => {
      await bringUp(first);
      const request = await asked();
      expect((await resolve(org.controller, request)).status).toBe(200);
      expect(codeOf(await resolve(org.controller, request))).toEqual([409, 'authorization_consumed']);
      // Also later, after its time would have been over.
      await backDate(request);
      expect(codeOf(await resolve(org.controller, request))).toEqual([409, 'authorization_consumed']);
    });

    it('is resolved by one of many concurrent requests', async () => {
      await bringUp(first);
      for (let round = 0; round < 10; round++) {
        const request = await asked();
        const answers = await Promise.all(Array.from({ length: 20 }, () => resolve(org.controller, request)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
      }
    });

    it('resolves to a later target while the first one is woken', async () => {
      await bringUp(second);
      const { status, body } = await resolved();
      expect([status, body]).toMatchObject([
        200,
        { profile_id: second, decision_source: 'fallback', fallback_used: true, target_name: `tier-2/${second}` },
      ]);
      expect(await intentOf(org.viewer, first)).toMatchObject({
        desired_state: 'Active',
        desired_replicas: 1,
        status: 'Pending',
      });
      expect(await intentOf(org.viewer, second)).toBeUndefined();
    });

    it('resolves to the target that the router prefers if that can serve', async () => {
      await bringUp(first);
      await bringUp(second);
      expect((await resolved({ preferred_profile_id: second })).body).toMatchObject({
        profile_id: second,
        decision_source: 'preferred',
        fallback_used: false,
      });
      expect((await resolved({ preferred_profile_id: null })).body).toMatchObject({ decision_source: 'priority' });
      expect((await resolved({ preferred_profile_id: 'nobody' })).body).toMatchObject({ profile_id: first });
      const full = { preferred_profile_id: second, active_streams_by_profile: { [second]: 8 } };
      expect((await resolved(full)).body).toMatchObject({ profile_id: first, decision_source: 'priority' });
    });

    it('skips a target whose streams are at its limit', async () => {
      await bringUp(first);
      await bringUp(second);
      const at = async (streams: Record<string, number>) => {
        const { body } = await resolved({ active_streams_by_profile: streams });
        return (body.profile_id ?? `wait for ${body.pending_profile_id}`) as string;
      };
      expect(await at({ [first]: 7 })).toBe(first);
      expect(await at({ [first]: 8 })).toBe(second);
      expect(await at({ [first]: 8, [second]: 7, nobody: 100 })).toBe(second);
      expect(await at({ [first]: 8, [second]: 8 })).toBe(`wait for ${first}`);
    });

    it('has as many places as there are workers', async () => {
      await setState(org.operator, first, { desired_state: 'Active', desired_replicas: 3 });
      await report(org.controller, first, { observed_generation: 1 });
      await routersSee(org.controller, first, { ready: true, current_replicas: 3 });
      expect((await resolved({ active_streams_by_profile: { [first]: 23 } })).body).toMatchObject({
        profile_id: first,
      });
      expect((await resolved({ active_streams_by_profile: { [first]: 24 } })).status).toBe(202);
    });

    it('names a worker of its target, and workers take turns', async () => {
      await setState(org.operator, first, { desired_state: 'Active', desired_replicas: 3 });
      const endpoints = ['http://10.0.0.1:8000', 'http://10.0.0.2:8000', 'http://10.0.0.3:8000'];
      const workers = endpoints.map((endpoint, place) => ({ workload_uid: newId(), endpoint, ready: place !== 1 }));
      await report(org.controller, first, { observed_generation: 1, workers });
      await routersSee(org.controller, first, { ready: true, current_replicas: 2 });
      const named: unknown[] = [];
      for (let request = 0; request < 4; request++) named.push((await resolved()).body.worker_url);
      expect(named.sort()).toEqual([endpoints[0], endpoints[0], endpoints[2], endpoints[2]]);
    });

    it('skips a target that is drained or to be released', async () => {
      await bringUp(first);
      await bringUp(second);
      await report(org.controller, first, { phase: 'Draining' });
      await routersSee(org.controller, first, { ready: false, draining: true });
      expect((await resolved()).body).toMatchObject({ profile_id: second, fallback_used: true });
      await report(org.controller, first);
      await routersSee(org.controller, first, { ready: true, draining: false });
      await setState(org.operator, first, { desired_state: 'Suspended' });
      await routersSee(org.controller, first, { ready: false, draining: true });
      expect((await resolved()).body).toMatchObject({ profile_id: second, fallback_used: true });
      // Traffic requests no target that is being released.
      expect(await intentOf(org.viewer, first)).toMatchObject({ desired_state: 'Suspended' });
    });

    it('returns the current generation of its route', async () => {
      await bringUp(first);
      const request = await asked();
      await saveRoute(org.operator, model, { queue_timeout_ms: 1 });
      expect((await resolve(org.controller, request)).body.route_generation).toBe(2);
    });

    it('is refused after its key was revoked', async () => {
      await bringUp(first);
      const other = await issueKey(service, org);
      const request = await authorized(other, model);
      await org.operator.delete(`/v1/inference/keys/${other.keyId}`);
      expect((await resolve(org.controller, request)).status).toBe(410);
    });
  });

  describe('of a cold model', () => {
    it('is asked to retry when the target should be ready by its measured starts, and requests the target', async () => {
      await measured(service, org, first, 'cold', 30_000, 10_000, 20_000);
      await saveRoute(org.operator, model, { queue_timeout_ms: 25_000 });
      const request = await asked();
      const { status, body } = await resolve(org.controller, request);
      expect([status, body]).toEqual([202, { pending_profile_id: first, retry_after_ms: 20_000 }]);
      expect(await intentOf(org.viewer, first)).toMatchObject({
        desired_state: 'Active',
        desired_replicas: 1,
        status: 'Pending',
        generation: 1,
      });
      expect(await intentOf(org.viewer, second)).toBeUndefined();
      expect(await row(request)).toMatchObject({ resolved: false, settled: false, profile_id: null });

      // The expected time decreases.
      let waitMs = 20_000;
      while (waitMs >= 20_000) {
        const again = await resolve(org.controller, request);
        expect([again.status, again.body.pending_profile_id]).toEqual([202, first]);
        waitMs = again.body.retry_after_ms as number;
      }
      expect(waitMs).toBeGreaterThan(5_000);

      await letWait(request);
      await report(org.controller, first, { observed_generation: 1 });
      await routersSee(org.controller, first, { ready: true });
      const there = await resolve(org.controller, request);
      expect([there.status, there.body]).toMatchObject([200, { profile_id: first, activation_path: 'cold' }]);
      // For requests that arrive now, the target is warm.
      expect((await resolved()).body).toMatchObject({ profile_id: first, activation_path: 'warm' });
    });

    it('expects a restore if there is an artifact to restore from', async () => {
      const { body: profile } = await org.viewer.get(`/v1/inference/profiles/${first}`);
      await org.controller.post('/v1/inference/artifacts', buildArtifact(profile, newId()));
      await measured(service, org, first, 'cold', 20_000);
      await measured(service, org, first, 'restore', 3_000, 1_000, 2_000);
      await saveRoute(org.operator, model, { queue_timeout_ms: 10_000 });
      expect((await resolved()).body).toEqual({ pending_profile_id: first, retry_after_ms: 2_000 });
    });

    it('expects a cold start if only another profile has an artifact, or its own is deleted', async () => {
      const artifactOf = async (profileId: string): Promise<string> => {
        const { body: profile } = await org.viewer.get(`/v1/inference/profiles/${profileId}`);
        const artifact = buildArtifact(profile, newId());
        expect((await org.controller.post('/v1/inference/artifacts', artifact)).status).toBe(201);
        return artifact.artifact_id as string;
      };
      await artifactOf(second);
      const own = await artifactOf(first);
      expect((await org.operator.delete(`/v1/inference/artifacts/${own}`)).status).toBe(200);
      await measured(service, org, first, 'cold', 20_000);
      await measured(service, org, first, 'restore', 3_000, 1_000, 2_000);
      await saveRoute(org.operator, model, { queue_timeout_ms: 25_000 });
      expect((await resolved()).body).toEqual({ pending_profile_id: first, retry_after_ms: 20_000 });
    });

    it('expects what its newest 50 starts took, and none of another profile', async () => {
      const seconds = (count: number, ms: number): number[] => Array.from({ length: count }, () => ms);
      await measured(service, org, second, 'cold', ...seconds(60, 1_000));
      await measured(service, org, first, 'cold', ...seconds(60, 3_000));
      await service.db.query("update starts set began_at = began_at - interval '1 day' where profile_id = $1", [first]);
      await measured(service, org, first, 'cold', ...seconds(50, 20_000));
      await saveRoute(org.operator, model, { queue_timeout_ms: 25_000 });
      expect((await resolved()).body).toEqual({ pending_profile_id: first, retry_after_ms: 20_000 });
    });

    it('is asked to retry when a start that began without a request should be ready', async () => {
      expect((await report(org.controller, first, { phase: 'Loading', ready: false, endpoint: '' })).status).toBe(204);
      // An earlier one, which is over.
      await measured(service, org, first, 'cold', 20_000);
      await saveRoute(org.operator, model, { queue_timeout_ms: 25_000 });
      await service.db.query(
        `update starts set began_at = began_at - interval '12 seconds', beginning_seen = true where profile_id = $1
           and ready_at is null`,
        [first],
      );
      const request = await asked();
      await eventually(async () => {
        const { body } = await resolve(org.controller, request);
        expect(body.pending_profile_id).toBe(first);
        expect(body.retry_after_ms).toBeLessThanOrEqual(8_000);
      });
      expect(await intentOf(org.viewer, first)).toBeUndefined();
    });

    it('counts a wait for a restore if the worker named a checkpoint', async () => {
      const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: `cluster-${newId()}` })).text;
      const request = await asked();
      expect((await resolve(org.controller, request)).status).toBe(202);
      const payload = { restore_checkpoint_path: '/checkpoints/7' };
      for (const event of [{ kind: 'worker.scheduled' }, { kind: 'worker.restoring', payload }])
        expect((await reportEvent(org.controller, buildEvent(clusterId, first, event))).status).toBe(204);
      await letWait(request);
      await bringUp(first);
      expect((await resolve(org.controller, request)).body).toMatchObject({ activation_path: 'restore' });
    });

    it("expects the operator's estimate without measured starts, else 30 seconds", async () => {
      const estimated = await buildModel(org, [{ estimated_cold_start_ms: 7_000 }]);
      const unknown = await buildModel(org, [{}]);
      for (const [{ model: of, profileIds }, ms] of [
        [estimated, 7_000],
        [unknown, 30_000],
      ] as const) {
        const { status, body } = await resolve(org.controller, await authorized(key, of));
        expect([status, body]).toEqual([202, { pending_profile_id: profileIds[0], retry_after_ms: ms }]);
      }
    });

    it('is asked to retry while its target is being released, and requests the target afterwards', async () => {
      const single = await buildModel(org, [{ estimated_cold_start_ms: 7_000 }]);
      const [profileId = ''] = single.profileIds;
      await bringUp(profileId);
      await setState(org.operator, profileId, { desired_state: 'Suspended' });
      await routersSee(org.controller, profileId, { draining: true });
      const request = await authorized(key, single.model);
      const { status, body } = await resolve(org.controller, request);
      expect([status, body]).toEqual([202, { pending_profile_id: profileId, retry_after_ms: 7_000 }]);
      expect(await intentOf(org.viewer, profileId)).toMatchObject({ desired_state: 'Suspended', generation: 1 });
      await report(org.controller, profileId, {
        desired_state: 'Suspended',
        phase: 'Suspended',
        ready: false,
        observed_generation: 1,
      });
      await routersSee(org.controller, profileId, { draining: false });
      expect((await resolve(org.controller, request)).status).toBe(202);
      expect(await intentOf(org.viewer, profileId)).toMatchObject({ desired_state: 'Active', generation: 2 });
    });

    it('requests the target once for many waiting requests', async () => {
      const requests = await Promise.all(Array.from({ length: 20 }, () => asked()));
      const answers = await Promise.all(requests.map((request) => resolve(org.controller, request)));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      expect(await intentOf(org.viewer, first)).toMatchObject({ status: 'Pending', generation: 1 });
      const { rows } = await service.db.query('select from capacity_intents where profile_id = $1', [first]);
      expect(rows).toHaveLength(1);
    });

    it('requests as many replicas as min_replicas of the profile', async () => {
      const wide = await buildModel(org, [{ min_replicas: 2, max_replicas: 4 }]);
      expect((await resolve(org.controller, await authorized(key, wide.model))).status).toBe(202);
      expect(await intentOf(org.viewer, wide.profileIds[0] ?? '')).toMatchObject({ desired_replicas: 2 });
    });

    it('audits the capacity request under the token that resolved', async () => {
      const { headers } = await resolved();
      const { body } = await org.operator.get('/v1/audit?limit=20');
      expect((body as JsonObject[]).find(({ request_id: id }) => id === headers['x-request-id'])).toMatchObject({
        actor_role: 'controller',
        action: 'resolve_request',
        resource_type: 'capacity_intent',
        details: { profile_id: first, desired_state: 'Active', desired_replicas: 1, generation: 1 },
      });
    });
  });

  describe('that no target serves in time', () => {
    it('is refused at once if the route does not allow waiting, and wakes the first target for later requests', async () => {
      await measured(service, org, first, 'cold', 20_500);
      await saveRoute(org.operator, model, { queue_timeout_ms: 0 });
      const request = await asked();
      const refused = await resolve(org.controller, request);
      expect([codeOf(refused), refused.headers['retry-after']]).toEqual([[503, 'model_not_ready'], '21']);
      expect(await intentOf(org.viewer, first)).toMatchObject({ desired_state: 'Active', status: 'Pending' });
      // The refusal does not use it up.
      expect(await row(request)).toMatchObject({ resolved: false, settled: false });
    });

    it('is refused at once if the start takes longer than it may wait', async () => {
      await measured(service, org, first, 'cold', 60_000);
      await measured(service, org, second, 'cold', 50_000);
      await saveRoute(org.operator, model, { queue_timeout_ms: 40_000 });
      const refused = await resolved();
      expect([codeOf(refused), refused.headers['retry-after']]).toEqual([[503, 'model_not_ready'], '50']);
    });

    it('resolves to the next target if only the start of the first takes longer than it may wait', async () => {
      await measured(service, org, first, 'cold', 60_000);
      await measured(service, org, second, 'cold', 5_000);
      await saveRoute(org.operator, model, { queue_timeout_ms: 40_000 });
      const { status, body } = await resolved();
      expect([status, body]).toEqual([202, { pending_profile_id: second, retry_after_ms: 5_000 }]);
      expect(await intentOf(org.viewer, second)).toMatchObject({ desired_state: 'Active', status: 'Pending' });
    });

    it("is refused if the router's queue is full", async () => {
      expect((await resolved({ queued_requests: 63 })).status).toBe(202);
      const refused = await resolved({ queued_requests: 64 });
      expect([codeOf(refused), refused.headers['retry-after']]).toEqual([[503, 'queue_full'], '30']);
    });

    it('is refused if the route has no targets', async () => {
      await saveRoute(org.operator, model, { targets: [] });
      const refused = await resolved();
      expect([codeOf(refused), refused.headers['retry-after']]).toEqual([[503, 'model_unavailable'], '30']);
    });

    it('is refused if the only target has just failed to start, and requests it again later', async () => {
      const single = await buildModel(org, [{}]);
      const [profileId = ''] = single.profileIds;
      await setState(org.operator, profileId, { desired_state: 'Active' });
      await report(org.controller, profileId, { phase: 'Failed', ready: false, observed_generation: 1 });
      /** Routing decisions see a report a moment later. */
      const decidedBy = (start: RoutedProfile['start']) =>
        eventually(async () =>
          expect((await service.app.get(RoutingTables).of(org.id)).profiles.get(profileId)).toMatchObject({ start }),
        );
      await decidedBy('barred');
      const refused = await resolve(org.controller, await authorized(key, single.model));
      expect(codeOf(refused)).toEqual([503, 'model_unavailable']);
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(30);
      expect(await intentOf(org.viewer, profileId)).toMatchObject({ status: 'Failed', generation: 1 });
      await service.db.query(
        "update capacity_intents set updated_at = updated_at - interval '30 seconds' where profile_id = $1",
        [profileId],
      );
      await decidedBy('asleep');
      expect((await resolve(org.controller, await authorized(key, single.model))).status).toBe(202);
      expect(await intentOf(org.viewer, profileId)).toMatchObject({ status: 'Pending', generation: 2 });
    });
  });

  describe('is not resolved', () => {
    beforeEach(() => bringUp(first));

    it('is not resolved under an unknown id', async () => {
      const request = await asked();
      const absent = { ...request, authorization_id: newId() };
      expect(codeOf(await resolve(org.controller, absent))).toEqual([404, 'authorization_not_found']);
    });

    it('is not resolved for another request, or another model', async () => {
      const request = await asked();
      const { model: other } = await buildModel(org);
      for (const wrong of [{ request_id: newId() }, { logical_model: other }, { logical_model: 'nowhere' }])
        expect(codeOf(await resolve(org.controller, request, wrong))).toEqual([404, 'authorization_not_found']);
      expect((await resolve(org.controller, request)).status).toBe(200);
    });

    it('is not resolved after its time is over', async () => {
      const request = await asked();
      await backDate(request);
      expect(codeOf(await resolve(org.controller, request))).toEqual([410, 'authorization_expired']);
      expect(await row(request)).toMatchObject({ resolved: false });
    });

    it('is not resolved after its telemetry arrived: it is used up', async () => {
      const request = await asked();
      await sendTelemetry(org.controller, request, { profile_id: first });
      expect(codeOf(await resolve(org.controller, request))).toEqual([409, 'authorization_consumed']);
    });

    const REFUSED: [name: string, body: JsonObject, field: string, message: string][] = [
      ['without an id', { authorization_id: undefined }, 'authorization_id', 'is required'],
      ['with an id that is no UUID', { authorization_id: 'x' }, 'authorization_id', 'must be a UUID'],
      ['with a negative number of requests', { queued_requests: -1 }, 'queued_requests', 'must be at least 0'],
      [
        'with a negative number of streams',
        { active_streams_by_profile: { a: -1 } },
        'active_streams_by_profile',
        'a must be an integer of at least 0',
      ],
      [
        'with streams that are not an object',
        { active_streams_by_profile: [1] },
        'active_streams_by_profile',
        'must be an object',
      ],
      ['with an unknown member', { tier: 'large' }, 'tier', 'is not a member of this body'],
    ];
    it.each(REFUSED)('is not resolved %s', async (_what, body, field, message) => {
      const answer = await resolve(org.controller, await asked(), body);
      expect([answer.status, answer.body.errors]).toEqual([400, [{ field, message }]]);
    });
  });

  it('is not charged for a resolution or a retry', async () => {
    const own = await issueKey(service, org);
    const request = await authorized(own, model);
    expect((await resolve(org.controller, request)).status).toBe(202);
    await bringUp(first);
    expect((await resolve(org.controller, request)).status).toBe(200);
    expect(await ledgerOf(service, own.keyId)).toEqual(['reserve 0.002036 0 0']);
    expect((await accountOf(service, own.keyId)).reserved).toBe('0.002036000000');
  });
});
