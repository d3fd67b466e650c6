import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { WorkerSums } from '../../../../src/6-insight/cost-reports/worker-sums/worker-sums';
import { ARTIFACTS, patch, register } from '../../../support/artifacts';
import {
  createKey,
  question,
  RawChat,
  readyProfile,
  coldProfile,
  routeTo,
  serviceFor,
  usageOf,
} from '../../../support/chat';
import {
  askedAt,
  bracketed,
  costRows,
  COSTS,
  podLived,
  reportedLived,
  saveRates,
  stayed,
  transferred,
  windowOfAll,
} from '../../../support/costs';
import { saveRoute, targetsOf, sendTelemetry } from '../../../support/inference';
import { InferenceWorker } from '../../../support/inference-worker';
import { createProfile, reportPhase } from '../../../support/profiles';
import { experimentOf } from '../../../support/reports';
import type { Organisation, Service } from '../../../support/service';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { buildCluster } from '../../../support/workloads';
import { HOUR, MINUTE } from '../../../support/durations';

interface Row {
  profile_id: string;
  activation_count: number;
  tokens_served: number;
  active_duration_s: number;
  idle_time_s: number;
  node_seconds: number;
  compute_usd: number;
  storage_usd: number;
  transfer_usd: number;
  fallback_usd: number;
  total_usd: number;
  release_latency_ms: number | null;
  idle_cost: { starting_usd: number; warm_idle_usd: number; release_usd: number };
  cost_per_mtok: { held_usd: number | null; used_usd: number | null };
  price: JsonObject;
}

/** Everything happens before this time. The hour before it is far from any border of a window of a day. */
const NOW = Date.now();
const ago = (ms: number) => NOW - ms;
/** The beginning of an hour that lies in every window of a day. */
const FULL_HOUR = Math.floor(NOW / HOUR) * HOUR - 3 * HOUR;

describe('the cost breakdown', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let clusterId: string;
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
    org = await service.organisation();
    clusterId = await buildCluster(org);
    profileId = (await createProfile(org, { profile_id: 'served' })).profile_id;
  });

  const rows = async (query = ''): Promise<Row[]> => {
    const { status, body } = await org.viewer.get(`${COSTS}/breakdown${query}`);
    expect(status).toBe(200);
    return body as Row[];
  };
  const rowOf = async (id = profileId, query = ''): Promise<Row> => {
    const row = (await rows(query)).find(({ profile_id: of }) => of === id);
    if (!row) throw new Error(`${id} has no row`);
    return row;
  };
  /** A figure that depends on when the window ended, which was during the request. */
  const expectWithin = (figure: number, ...ends: [earliest: number, latest: number]): void => {
    expect(figure).toBeGreaterThanOrEqual(Math.min(...ends) - 1e-9);
    expect(figure).toBeLessThanOrEqual(Math.max(...ends) + 1e-9);
  };
  const worked = (life: Parameters<typeof podLived>[3]) => podLived(org, clusterId, profileId, life);
  const reported = (life: Parameters<typeof reportedLived>[3]) => reportedLived(service, org, profileId, life);
  const asked = (at: number, replicas: number) => askedAt(service, org, profileId, at, replicas);
  const used = (...requests: Partial<Request>[]) =>
    writeRequests(
      service.db,
      org,
      ...requests.map((one) => buildRequest(ago(HOUR), { profile_id: profileId, ...one })),
    );

  describe('of an organisation', () => {
    it('shows no rows for an organisation without profiles', async () => {
      const empty = await service.organisation();
      expect(await empty.viewer.get(`${COSTS}/breakdown`)).toMatchObject({ status: 200, body: [] });
    });

    it('shows zeros, and null for undefined means, for an organisation without activity', async () => {
      expect(await rows()).toEqual([
        {
          profile_id: profileId,
          activation_count: 0,
          tokens_served: 0,
          active_duration_s: 0,
          idle_time_s: 0,
          node_seconds: 0,
          compute_usd: 0,
          storage_usd: 0,
          transfer_usd: 0,
          fallback_usd: 0,
          total_usd: 0,
          release_latency_ms: null,
          idle_cost: { starting_usd: 0, warm_idle_usd: 0, release_usd: 0 },
          cost_per_mtok: { held_usd: null, used_usd: null },
          price: {
            profile_id: profileId,
            node_hourly_usd: 0,
            storage_gb_hour_usd: 0,
            transfer_gb_usd: 0,
            source: 'none',
            updated_at: null,
          },
        },
      ]);
    });

    it('is shown to that organisation only', async () => {
      await worked({ scheduled: ago(HOUR), ready: ago(50 * MINUTE), stopped: ago(40 * MINUTE) });
      await used({ prompt_tokens: 7 });
      const other = await service.organisation();
      expect((await other.viewer.get(`${COSTS}/breakdown`)).body).toEqual([]);
      await createProfile(other, { profile_id: profileId });
      expect((await other.viewer.get(`${COSTS}/breakdown`)).body).toMatchObject([
        { profile_id: profileId, node_seconds: 0, tokens_served: 0, activation_count: 0 },
      ]);
      expect((await other.viewer.get(`${COSTS}/breakdown?profile_id=${profileId}`)).body).toMatchObject([
        { node_seconds: 0 },
      ]);
    });

    it('needs a token', async () => {
      expect((await service.as(undefined).get(`${COSTS}/breakdown`)).status).toBe(401);
    });
  });

  describe('counts the seconds in which nodes were held', () => {
    it('counts the node seconds of a worker from its scheduling until it stopped, whatever it did meanwhile', async () => {
      await worked({ scheduled: ago(HOUR), ready: ago(50 * MINUTE), stopped: ago(30 * MINUTE) });
      expect(await rowOf()).toMatchObject({ activation_count: 1, node_seconds: 30 * 60 });
    });

    it('counts the node seconds of a worker that never became ready until it failed', async () => {
      await worked({ scheduled: ago(HOUR), failed: ago(45 * MINUTE) });
      expect(await rowOf()).toMatchObject({ activation_count: 1, node_seconds: 15 * 60 });
    });

    it('counts the node seconds of a worker that served and failed', async () => {
      await worked({ scheduled: ago(HOUR), ready: ago(50 * MINUTE), failed: ago(45 * MINUTE) });
      expect(await rowOf()).toMatchObject({ activation_count: 1, node_seconds: 15 * 60 });
    });

    it('counts the node seconds of a worker that failed until then, also after it was reported to have stopped', async () => {
      await worked({ scheduled: ago(HOUR), failed: ago(45 * MINUTE), stopped: ago(30 * MINUTE) });
      expect(await rowOf()).toMatchObject({ activation_count: 1, node_seconds: 15 * 60 });
    });

    /** Moves the newest start, which reports began and that failed, to the wanted times. */
    const failed = async (began: number, at: number): Promise<void> => {
      const { rowCount } = await service.db.query(
        `update starts set began_at = $3::timestamptz, failed_at = $4,
           ready_at = case when ready_at is not null then $3::timestamptz end
         where failed_at is not null and ended_at is null and org_id = $1 and profile_id = $2`,
        [org.id, profileId, new Date(began), new Date(at)],
      );
      expect(rowCount).toBe(1);
    };

    it.each([
      ['suspended', 'Loading', 'Suspended', 1],
      ['coming up again', 'Loading', 'Pending', 2],
      ['ready again', 'Ready', 'Ready', 2],
      ['warming up', 'Loading', 'Warming', 2],
    ])(
      'changes no figure up to then when a worker that was reported to have failed is reported as %s',
      async (_what, first, next, activations) => {
        await reportPhase(org.controller, profileId, first);
        await reportPhase(org.controller, profileId, 'Failed');
        await failed(ago(HOUR), ago(45 * MINUTE));
        const past = () => costRows(service, org.id, windowOfAll(ago(2 * HOUR), NOW));
        const reportedBefore = await past();
        expect(reportedBefore).toMatchObject([{ node_ms: 15 * MINUTE, activation_count: 1 }]);
        await reportPhase(org.controller, profileId, next);
        expect(await past()).toEqual(reportedBefore);
        await service.app.get(WorkerSums).run({ orgId: org.id });
        expect(await past()).toEqual(reportedBefore);
        expect(await rowOf()).toMatchObject({ activation_count: activations });
      },
    );

    it('counts the node seconds of a worker that serves again after it was reported to have failed', async () => {
      for (const phase of ['Ready', 'Failed']) await reportPhase(org.controller, profileId, phase);
      await failed(ago(HOUR), ago(45 * MINUTE));
      await reportPhase(org.controller, profileId, 'Ready');
      await service.db.query(
        `update starts set began_at = $3::timestamptz, ready_at = $3::timestamptz where org_id = $1 and profile_id = $2 and ended_at is null`,
        [org.id, profileId, new Date(ago(10 * MINUTE))],
      );
      const { reported, earliest, latest } = await bracketed(service, () => rowOf());
      const held = (end: number) => 15 * 60 + (end - ago(10 * MINUTE)) / 1_000;
      expectWithin(reported.node_seconds, held(earliest), held(latest));
    });

    it('counts the node seconds of a worker that failed, and those of its successor', async () => {
      await worked({ scheduled: ago(HOUR), failed: ago(45 * MINUTE) });
      await worked({ scheduled: ago(30 * MINUTE), ready: ago(29 * MINUTE), stopped: ago(28 * MINUTE) });
      expect(await rowOf()).toMatchObject({ activation_count: 2, node_seconds: 15 * 60 + 2 * 60 });
    });

    it('counts the node seconds of a worker that still runs', async () => {
      await worked({ scheduled: ago(HOUR), ready: ago(50 * MINUTE) });
      const { reported, earliest, latest } = await bracketed(service, () => rowOf());
      expectWithin(reported.node_seconds, (earliest - ago(HOUR)) / 1_000, (latest - ago(HOUR)) / 1_000);
      expect(reported.activation_count).toBe(1);
    });

    it('counts the node seconds of a worker within the window only; its activation counts in the window before', async () => {
      await worked({ scheduled: ago(3 * HOUR), ready: ago(2 * HOUR), stopped: ago(30 * MINUTE) });
      const { reported, earliest, latest } = await bracketed(service, () => rowOf(profileId, '?hours=1'));
      const since = (end: number) => (ago(30 * MINUTE) - (end - HOUR)) / 1_000;
      expectWithin(reported.node_seconds, since(earliest), since(latest));
      expect(reported.activation_count).toBe(0);
      expect(await rowOf(profileId, '?hours=4')).toMatchObject({ node_seconds: 2.5 * 3_600, activation_count: 1 });
    });

    it('counts the whole window for a worker that began before it and still runs', async () => {
      await worked({ scheduled: ago(3 * HOUR), ready: ago(2 * HOUR) });
      expect(await rowOf(profileId, '?hours=1')).toMatchObject({ node_seconds: 3_600, activation_count: 0 });
    });

    it('counts no node seconds of a worker that ended before the window', async () => {
      await worked({ scheduled: ago(3 * HOUR), ready: ago(2 * HOUR), stopped: ago(1.5 * HOUR) });
      await worked({ scheduled: ago(1.4 * HOUR), failed: ago(1.2 * HOUR) });
      expect(await rowOf(profileId, '?hours=1')).toMatchObject({ node_seconds: 0, activation_count: 0 });
    });

    it('counts the node seconds of every pod once, whatever number was requested', async () => {
      await asked(ago(2 * HOUR), 3);
      for (let pods = 0; pods < 3; pods++)
        await worked({ scheduled: ago(HOUR), ready: ago(50 * MINUTE), stopped: ago(40 * MINUTE) });
      expect(await rowOf()).toMatchObject({ node_seconds: 3 * 20 * 60, activation_count: 3 });
    });

    it('counts the requested number of replicas if only reports describe the workers', async () => {
      await asked(ago(2 * HOUR), 3);
      await reported({ scheduled: ago(HOUR), ready: ago(50 * MINUTE), stopped: ago(40 * MINUTE) });
      expect(await rowOf()).toMatchObject({ node_seconds: 3 * 20 * 60, activation_count: 1 });
    });

    it('counts the number of replicas that was requested at the time', async () => {
      await asked(ago(2 * HOUR), 1);
      await reported({ scheduled: ago(60 * MINUTE), ready: ago(58 * MINUTE), stopped: ago(20 * MINUTE) });
      await asked(ago(50 * MINUTE), 3);
      await asked(ago(40 * MINUTE), 2);
      // Until the release has ended, the node of each requested replica is held.
      await asked(ago(25 * MINUTE), 0);
      // Does not belong to it: it is the next request.
      await asked(ago(10 * MINUTE), 4);
      expect(await rowOf()).toMatchObject({
        node_seconds: 60 * (10 * 1 + 10 * 3 + 20 * 2),
        release_latency_ms: 5 * MINUTE,
      });
    });

    it('counts one worker that came up by itself, whatever was requested before the last release', async () => {
      await asked(ago(120 * MINUTE), 3);
      await reported({ scheduled: ago(110 * MINUTE), ready: ago(109 * MINUTE), stopped: ago(80 * MINUTE) });
      await asked(ago(90 * MINUTE), 0);
      await reported({ scheduled: ago(60 * MINUTE), ready: ago(59 * MINUTE), stopped: ago(20 * MINUTE) });
      // Until a request asks for more.
      await asked(ago(30 * MINUTE), 2);
      expect(await rowOf()).toMatchObject({ node_seconds: 60 * (30 * 3 + 30 * 1 + 10 * 2), activation_count: 2 });
    });

    it('counts one worker if nothing was requested', async () => {
      await reported({ scheduled: ago(60 * MINUTE), ready: ago(58 * MINUTE), stopped: ago(20 * MINUTE) });
      expect((await rowOf()).node_seconds).toBe(40 * 60);
    });

    it('prices node seconds by the hour', async () => {
      await saveRates(org, profileId, { node: 1.2 });
      await worked({ scheduled: ago(HOUR), ready: ago(50 * MINUTE), stopped: ago(50 * MINUTE - 1) });
      expect(await rowOf()).toMatchObject({
        node_seconds: 600.001,
        compute_usd: 0.200000333333,
        total_usd: 0.200000333333,
      });
    });
  });

  describe('counts the time with a request in flight', () => {
    it('counts the time with a request in flight once, however many there were', async () => {
      const at = FULL_HOUR + 10 * MINUTE;
      await used(
        { at, queue_ms: 2_000, backend_ms: 10_000 }, // 2 to 12 s
        { at, queue_ms: 8_000, backend_ms: 9_000 }, // 8 to 17 s
        { at: at + 9_000, backend_ms: 1_000 }, // 9 to 10 s
        { at: at + 20_000, backend_ms: 500, end_to_end_ms: 3_000 }, // 22.5 to 23 s
      );
      await used({ at: at + 16_000, backend_ms: 1_500 }); // 16 to 17.5 s, reported later
      await used({ at: at + 30_000, queue_ms: 4_000 }); // unknown
      await used({ at: at + 40_000, profile_id: 'another', backend_ms: 5_000 });
      expect((await rowOf()).active_duration_s).toBe(17.5 - 2 + 0.5);
    });

    it('counts the time with a request in flight across the borders of minutes and hours', async () => {
      await used(
        { at: FULL_HOUR - 10_000, backend_ms: 30_000 }, // 10 s before until 20 s after
        { at: FULL_HOUR + 5_000, backend_ms: 25_000 }, // 5 s until 30 s
        { at: FULL_HOUR + 59_500, backend_ms: 1_000 }, // across a minute's border
        { at: FULL_HOUR + 30 * MINUTE, backend_ms: 1.5 * HOUR }, // across two hours' borders
      );
      expect((await rowOf()).active_duration_s).toBe(40 + 1 + 1.5 * 3_600);
    });

    it('counts the time with a request in flight within the window only', async () => {
      await used({ at: ago(90 * MINUTE), backend_ms: 60 * MINUTE });
      const { reported, earliest, latest } = await bracketed(service, () => rowOf(profileId, '?hours=1'));
      const since = (end: number) => (ago(30 * MINUTE) - (end - HOUR)) / 1_000;
      expectWithin(reported.active_duration_s, since(earliest), since(latest));
    });
  });

  it.each<[string, JsonObject]>([
    ['the total time', { end_to_end_latency_ms: 31_000, queue_ms: 1_000 }],
    ['how long a worker was busy', { stream_duration_ms: 30_000 }],
    ['how long it waited, and a worker was busy', { stream_duration_ms: 30_000, queue_ms: 40_000 }],
    ['a total that is less than one of its parts', { stream_duration_ms: 30_000, end_to_end_latency_ms: 20_000 }],
  ])('knows that a request reported by a router has ended if the router reports %s', async (_what, times) => {
    const request = { request_id: newId(), logical_model: 'routed' };
    expect((await sendTelemetry(org.controller, request, { profile_id: profileId, ...times })).status).toBe(200);
    expect((await rowOf()).active_duration_s).toBe(30);
  });

  describe('splits the idle time', () => {
    it('splits the idle time into starting, warm and releasing', async () => {
      await saveRates(org, profileId, { node: 3.6 });
      await asked(ago(3 * HOUR), 1);
      await asked(ago(40 * MINUTE), 0);
      await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(38 * MINUTE) });
      await used({ at: ago(50 * MINUTE), backend_ms: 4 * MINUTE });
      const row = await rowOf();
      expect(row).toMatchObject({ node_seconds: 22 * 60, active_duration_s: 4 * 60, idle_time_s: 18 * 60 });
      // 3.6 dollars an hour are 0.001 a second: 5 minutes until ready, 15 that it served less the 4, and 2.
      expect(row.idle_cost).toEqual({
        starting_usd: (5 * 60) / 1_000,
        warm_idle_usd: ((15 - 4) * 60) / 1_000,
        release_usd: (2 * 60) / 1_000,
      });
    });

    it('splits the idle time of a worker that was released before it was ready', async () => {
      await saveRates(org, profileId, { node: 3.6 });
      await asked(ago(3 * HOUR), 1);
      await asked(ago(57 * MINUTE), 0);
      await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(50 * MINUTE) });
      expect((await rowOf()).idle_cost).toEqual({
        starting_usd: (3 * 60) / 1_000,
        warm_idle_usd: 0,
        release_usd: (7 * 60) / 1_000,
      });
    });

    it('splits the idle time so that it never exceeds the held time', async () => {
      await saveRates(org, profileId, { node: 3.6 });
      await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(50 * MINUTE) });
      // Sent to another replica, which was not reported.
      await used({ at: ago(60 * MINUTE), backend_ms: 7 * MINUTE });
      const row = await rowOf();
      expect(row).toMatchObject({ idle_time_s: 3 * 60, active_duration_s: 7 * 60 });
      expect(row.idle_cost).toEqual({ starting_usd: (3 * 60) / 1_000, warm_idle_usd: 0, release_usd: 0 });
    });

    it('has no idle time if more was in flight than was held', async () => {
      await used({ at: ago(60 * MINUTE), backend_ms: 7 * MINUTE });
      expect(await rowOf()).toMatchObject({ node_seconds: 0, idle_time_s: 0, active_duration_s: 7 * 60 });
    });
  });

  describe('measures the release latency', () => {
    const served = (stopped: number) => worked({ scheduled: ago(2 * HOUR), ready: ago(1.9 * HOUR), stopped });

    it('measures the time of a release from its request until the worker was gone', async () => {
      await asked(ago(3 * HOUR), 1);
      await asked(ago(60 * MINUTE), 0);
      await served(ago(60 * MINUTE - 4_500));
      expect((await rowOf()).release_latency_ms).toBe(4_500);
    });

    it('takes the mean of the times of all requested releases', async () => {
      await asked(ago(3 * HOUR), 2);
      await asked(ago(60 * MINUTE), 0);
      await served(ago(60 * MINUTE - 4_000));
      await served(ago(60 * MINUTE - 9_000));
      // Was gone before.
      await served(ago(70 * MINUTE));
      expect((await rowOf()).release_latency_ms).toBe((4_000 + 9_000) / 2);
    });

    it('counts a request for no replicas as a release, without a suspension too', async () => {
      await asked(ago(3 * HOUR), 1);
      const ask = { desired_state: 'Active', desired_replicas: 0 };
      const { body } = await org.operator.post(`/v1/inference/profiles/${profileId}/state`, ask);
      await service.db.query('update capacity_asks set requested_at = $2 where org_id = $1 and generation = $3', [
        org.id,
        new Date(ago(60 * MINUTE)),
        (body as JsonObject).generation,
      ]);
      await served(ago(60 * MINUTE - 7_000));
      expect((await rowOf()).release_latency_ms).toBe(7_000);
    });

    it('measures the time of a release from the first of several equal requests', async () => {
      await asked(ago(3 * HOUR), 1);
      const ask = { desired_state: 'Active', desired_replicas: 0 };
      const { body } = await org.operator.post(`/v1/inference/profiles/${profileId}/state`, ask);
      await service.db.query('update capacity_asks set requested_at = $2 where org_id = $1 and generation = $3', [
        org.id,
        new Date(ago(62 * MINUTE)),
        (body as JsonObject).generation,
      ]);
      await asked(ago(60 * MINUTE), 0);
      await served(ago(59 * MINUTE));
      expect((await rowOf()).release_latency_ms).toBe(3 * MINUTE);
    });

    it('counts no release of a worker that ended by itself, or was requested again', async () => {
      await asked(ago(3 * HOUR), 1);
      await served(ago(60 * MINUTE));
      await asked(ago(59 * MINUTE), 0);
      await asked(ago(50 * MINUTE), 1);
      await worked({ scheduled: ago(49 * MINUTE), ready: ago(45 * MINUTE), failed: ago(40 * MINUTE) });
      expect((await rowOf()).release_latency_ms).toBeNull();
    });

    it('counts no release of a worker that still holds its node', async () => {
      await asked(ago(3 * HOUR), 1);
      await worked({ scheduled: ago(2 * HOUR), ready: ago(1.9 * HOUR) });
      await asked(ago(60 * MINUTE), 0);
      expect((await rowOf()).release_latency_ms).toBeNull();
    });
  });

  describe('counts stored bytes', () => {
    let key: string;
    beforeEach(async () => {
      await saveRates(org, profileId, { storage: 0.01 });
      key = ((await org.viewer.get(`/v1/inference/profiles/${profileId}`)).body as { compatibility_key: string })
        .compatibility_key;
    });
    const artifact = async (overrides: JsonObject): Promise<string> => {
      const answer = await register(org, { profile_id: profileId, compatibility_key: key }, overrides);
      expect(answer.status).toBe(201);
      return answer.body.artifact_id as string;
    };

    it('counts stored bytes for as long as they were stored, on any tier', async () => {
      const id = await artifact({
        physical_bytes: 4_000_000_000,
        logical_bytes: 9_000_000_000,
        storage_tier: 'object',
      });
      await org.operator.post(`${ARTIFACTS}/${id}/promote`, { tier: 'shared' });
      await patch(org, id, { promotion: 'confirmed' });
      await org.operator.delete(`${ARTIFACTS}/${id}`);
      await stayed(service, org.id, id, [ago(10 * HOUR), ago(6 * HOUR)], [ago(6 * HOUR), ago(3 * HOUR)]);
      const { storage_usd, total_usd } = await rowOf();
      expect(storage_usd).toBe(0.01 * 4 * (10 - 3));
      expect(total_usd).toBe(storage_usd);
    });

    it('counts stored bytes while they are stored', async () => {
      const id = await artifact({ physical_bytes: 2_500_000_000 });
      await stayed(service, org.id, id, [ago(5 * HOUR), null]);
      const { reported, earliest, latest } = await bracketed(service, () => rowOf());
      const costs = (end: number) => (0.01 * 2.5 * (end - ago(5 * HOUR))) / HOUR;
      expectWithin(reported.storage_usd, costs(earliest), costs(latest));
    });

    it('counts stored bytes until their artifact expired', async () => {
      const id = await artifact({ physical_bytes: 1_000_000_000 });
      await patch(org, id, { status: 'expired' });
      await stayed(service, org.id, id, [ago(5 * HOUR), ago(4 * HOUR)]);
      expect((await rowOf()).storage_usd).toBe(0.01);
    });

    it('counts stored bytes within the window only', async () => {
      const id = await artifact({ physical_bytes: 1_000_000_000 });
      await stayed(service, org.id, id, [ago(100 * HOUR), null]);
      expect(await rowOf(profileId, '?hours=24')).toMatchObject({ storage_usd: 0.24 });
      expect(await rowOf(profileId, '?hours=1')).toMatchObject({ storage_usd: 0.01 });
      const gone = await artifact({ physical_bytes: 1_000_000_000 });
      await org.operator.delete(`${ARTIFACTS}/${gone}`);
      await stayed(service, org.id, gone, [ago(100 * HOUR), ago(50 * HOUR)]);
      expect(await rowOf(profileId, '?hours=24')).toMatchObject({ storage_usd: 0.24 });
    });

    it('counts stored bytes by their logical size if only that is known, and as zero if no size is', async () => {
      const known = await artifact({ logical_bytes: 3_000_000_000 });
      const unknown = await artifact({});
      for (const id of [known, unknown]) {
        await org.operator.delete(`${ARTIFACTS}/${id}`);
        await stayed(service, org.id, id, [ago(5 * HOUR), ago(3 * HOUR)]);
      }
      expect((await rowOf()).storage_usd).toBe(0.01 * 3 * 2);
    });
  });

  it('counts transferred bytes', async () => {
    await saveRates(org, profileId, { transfer: 0.09 });
    await transferred(org, profileId, ago(5 * HOUR), 1_500_000_000);
    await transferred(org, profileId, ago(4 * HOUR), 500_000_000);
    await transferred(org, profileId, ago(30 * HOUR), 70_000_000_000);
    await transferred(org, null, ago(4 * HOUR), 70_000_000_000);
    const another = (await createProfile(org)).profile_id;
    await transferred(org, another, ago(4 * HOUR), 70_000_000_000);
    expect(await rowOf()).toMatchObject({ transfer_usd: 0.09 * 2, total_usd: 0.09 * 2 });
    // 1.5 + 0.5 + 70 GB
    expect(await rowOf(profileId, '?hours=48')).toMatchObject({ transfer_usd: (9 * 72) / 100 });
  });

  it('handles amounts of any reported size', async () => {
    await saveRates(org, profileId, { transfer: 1_000_000 });
    await transferred(org, profileId, ago(5 * HOUR), Number.MAX_SAFE_INTEGER);
    expect((await rowOf()).transfer_usd).toBe((1_000_000 * Number.MAX_SAFE_INTEGER) / 1e9);
    expect((await org.viewer.get(`${COSTS}/report`)).status).toBe(200);
  });

  describe('counts the costs of fallbacks', () => {
    let cheap: string;
    beforeEach(async () => {
      cheap = (await createProfile(org, { profile_id: 'cheap' })).profile_id;
      await saveRates(org, cheap, { node: 0.72 });
      await saveRates(org, profileId, { node: 36 });
    });
    const costs = async () => (await rows()).map(({ profile_id: id, fallback_usd: usd }) => [id, usd]);

    it('counts the costs of fallbacks in the row of the intended target, at the rate of the serving one', async () => {
      await used(
        { profile_id: cheap, meant_for_profile_id: profileId, fallback_used: true, backend_ms: 10_000 },
        { profile_id: cheap, meant_for_profile_id: profileId, fallback_used: true, backend_ms: 5_000 },
        { profile_id: cheap, meant_for_profile_id: profileId, fallback_used: true },
        { profile_id: cheap, meant_for_profile_id: cheap, fallback_used: false, backend_ms: 70_000 },
        { profile_id: profileId, meant_for_profile_id: profileId, fallback_used: false, backend_ms: 70_000 },
      );
      // 0.72 dollars an hour are 0.0002 a second.
      expect(await costs()).toEqual([
        [cheap, 0],
        [profileId, 0.003],
      ]);
      expect((await rowOf()).total_usd).toBe(0);
    });

    it('counts the costs of fallbacks in the row of the first target of the route if a router decided', async () => {
      await saveRoute(org.operator, 'routed', { targets: targetsOf(profileId, cheap) });
      const third = (await createProfile(org, { profile_id: 'third' })).profile_id;
      await saveRates(org, third, { node: 3.6 });
      await used(
        { logical_model: 'routed', profile_id: cheap, fallback_used: true, backend_ms: 10_000 },
        { logical_model: 'routed', profile_id: third, fallback_used: true, backend_ms: 2_000 },
        // The intended target is unknown.
        { logical_model: 'not routed', profile_id: cheap, fallback_used: true, backend_ms: 10_000 },
      );
      expect(await costs()).toEqual([
        [cheap, 0],
        [profileId, 0.002 + 0.002],
        [third, 0],
      ]);
    });

    it.each(['target', 'profile'])(
      'counts the costs of fallbacks in the row of the first target that is enabled: a disabled %s is passed over',
      async (disabled) => {
        const off = await createProfile(org, { profile_id: 'off', enabled: disabled !== 'profile' });
        const [first, ...others] = targetsOf(off.profile_id, profileId, cheap);
        await saveRoute(org.operator, 'routed', {
          targets: [{ ...first, enabled: disabled !== 'target' }, ...others],
        });
        await used({ logical_model: 'routed', profile_id: cheap, fallback_used: true, backend_ms: 10_000 });
        expect(await costs()).toEqual([
          [cheap, 0],
          ['off', 0],
          [profileId, 0.002],
        ]);
      },
    );

    it('counts no fallback for requests that the first target of the route served itself, whatever is reported', async () => {
      await saveRoute(org.operator, 'routed', { targets: targetsOf(cheap, profileId) });
      await used({ logical_model: 'routed', profile_id: cheap, fallback_used: true, backend_ms: 10_000 });
      expect(await costs()).toEqual([
        [cheap, 0],
        [profileId, 0],
      ]);
    });

    it('counts the costs of fallbacks as zero if the serving target has no rate', async () => {
      const free = (await createProfile(org, { profile_id: 'free' })).profile_id;
      await used({ profile_id: free, meant_for_profile_id: profileId, fallback_used: true, backend_ms: 10_000 });
      expect((await rowOf()).fallback_usd).toBe(0);
    });

    it('counts the costs of fallbacks for a chat that another target served', async () => {
      const cold = await coldProfile(org, { profile_id: 'cold' });
      const warm = await readyProfile(org, worker, { profile_id: 'warm' });
      await saveRates(org, warm, { node: 1_000_000 });
      const model = await routeTo(org, [cold, warm]);
      const { raw_key: key } = await createKey(org);
      expect((await RawChat.ask(service, key, question(model))).status).toBe(200);
      const [usage] = await usageOf(service, model, 1);
      expect(usage).toMatchObject({ profile_id: warm, fallback_used: true, meant_for_profile_id: cold });
      expect(usage?.backend_ms).toBeGreaterThan(0);
      expect((await rowOf(cold)).fallback_usd).toBeCloseTo((1_000_000 * (usage?.backend_ms ?? NaN)) / HOUR, 9);
      expect((await rowOf(warm)).fallback_usd).toBe(0);
    });
  });

  it('counts tokens, and the price of a million of them: by held time, and by used time', async () => {
    await saveRates(org, profileId, { node: 3.6 });
    await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(50 * MINUTE) });
    await used(
      { at: ago(54 * MINUTE), backend_ms: 30_000, prompt_tokens: 1_000, completion_tokens: 500 },
      { at: ago(54 * MINUTE), backend_ms: 20_000, prompt_tokens: 2_000 },
      { at: ago(53 * MINUTE), completion_tokens: 500 },
      { at: ago(53 * MINUTE), prompt_tokens: 70, profile_id: null },
    );
    const row = await rowOf();
    expect(row.tokens_served).toBe(1_000 + 500 + 2_000 + 500);
    expect(row.cost_per_mtok.held_usd).toBeCloseTo((0.001 * 600 * 1e6) / 4_000, 9);
    expect(row.cost_per_mtok.used_usd).toBeCloseTo((0.001 * 30 * 1e6) / 4_000, 9);
  });

  it('names the source of its prices', async () => {
    await saveRates(org, profileId, { node: 1.5, storage: 0.00003, transfer: 0.09 });
    const { rows: saved } = await service.db.query<{ updated_at: Date }>(
      'select updated_at from cost_rates where org_id = $1',
      [org.id],
    );
    expect((await rowOf()).price).toEqual({
      profile_id: profileId,
      node_hourly_usd: 1.5,
      storage_gb_hour_usd: 0.00003,
      transfer_gb_usd: 0.09,
      source: 'configured',
      updated_at: saved[0]?.updated_at.toISOString(),
    });
  });

  it('has a row for each profile, by name, page by page', async () => {
    for (const id of ['c', 'a', 'b']) await createProfile(org, { profile_id: id });
    const page = async (query: string) => {
      const { body, headers } = await org.viewer.get(`${COSTS}/breakdown${query}`);
      return [(body as Row[]).map(({ profile_id: id }) => id).join(' '), headers.link];
    };
    expect(await page('')).toEqual(['a b c served', undefined]);
    expect(await page('?limit=3')).toEqual(['a b c', expect.stringContaining('rel="next"')]);
    expect(await page('?limit=3&offset=3')).toEqual(['served', undefined]);
  });

  it('may be limited to one profile', async () => {
    const other = (await createProfile(org)).profile_id;
    await saveRates(org, other, { node: 3.6 });
    await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(50 * MINUTE) });
    await used(
      { backend_ms: 5_000, prompt_tokens: 10 },
      { profile_id: other, meant_for_profile_id: profileId, fallback_used: true, backend_ms: 2_000, prompt_tokens: 3 },
    );
    // The serving target shows the fallback among its own.
    expect(await rows(`?profile_id=${profileId}`)).toEqual([await rowOf()]);
    expect((await rowOf()).fallback_usd).toBe(0.002);
    expect(await rows('?profile_id=nobody')).toEqual([]);
  });

  describe('of an experiment', () => {
    const of = (id: string, profile = profileId) => rowOf(profile, `?experiment_id=${id}`);

    it('contains the requests that name it, and workers and artifacts of its time', async () => {
      await saveRates(org, profileId, { node: 3.6, transfer: 1, storage: 1 });
      const id = await experimentOf(service, org, { since: ago(58 * MINUTE), until: ago(52 * MINUTE) });
      const key = ((await org.viewer.get(`/v1/inference/profiles/${profileId}`)).body as { compatibility_key: string })
        .compatibility_key;
      const { body } = await register(
        org,
        { profile_id: profileId, compatibility_key: key },
        { physical_bytes: 5_000_000_000 },
      );
      await stayed(service, org.id, (body as { artifact_id: string }).artifact_id, [ago(5 * HOUR), null]);
      await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(50 * MINUTE) });
      await worked({ scheduled: ago(57 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(54 * MINUTE) });
      await used(
        { at: ago(54 * MINUTE), backend_ms: 30_000, prompt_tokens: 5, experiment_id: id },
        { at: ago(54 * MINUTE) + 10_000, backend_ms: 30_000, prompt_tokens: 6, experiment_id: id },
        { at: ago(54 * MINUTE), backend_ms: 90_000, prompt_tokens: 1_000 },
        { at: ago(54 * MINUTE), backend_ms: 90_000, prompt_tokens: 1_000, experiment_id: newId() },
        // Its reply came later.
        { at: ago(40 * MINUTE), backend_ms: 1_000, prompt_tokens: 7, experiment_id: id },
      );
      await transferred(org, profileId, ago(54 * MINUTE), 3_000_000_000);
      await transferred(org, profileId, ago(40 * MINUTE), 2_000_000_000, { experiment_id: id });
      expect(await of(id)).toMatchObject({
        // A request that began in its time.
        activation_count: 1,
        node_seconds: 60 * (6 + 3),
        active_duration_s: 40 + 1,
        tokens_served: 5 + 6 + 7,
        transfer_usd: 2,
        storage_usd: 5 * 0.1,
        compute_usd: 0.001 * 60 * 9,
      });
    });

    it('contains workers and artifacts of its profile only for an experiment with a profile', async () => {
      const other = (await createProfile(org)).profile_id;
      const id = await experimentOf(service, org, {
        since: ago(58 * MINUTE),
        until: ago(52 * MINUTE),
        profileId: other,
      });
      await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE), stopped: ago(50 * MINUTE) });
      await podLived(org, clusterId, other, {
        scheduled: ago(56 * MINUTE),
        ready: ago(55 * MINUTE),
        stopped: ago(53 * MINUTE),
      });
      await used({ prompt_tokens: 5, experiment_id: id });
      expect(await of(id)).toMatchObject({ node_seconds: 0, activation_count: 0, tokens_served: 5 });
      expect(await of(id, other)).toMatchObject({ node_seconds: 3 * 60, activation_count: 1, tokens_served: 0 });
    });

    it('ends now for an experiment that still runs', async () => {
      const id = await experimentOf(service, org, { since: ago(58 * MINUTE) });
      await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE) });
      const { reported, earliest, latest } = await bracketed(service, () => of(id));
      const since = (end: number) => (end - ago(58 * MINUTE)) / 1_000;
      expectWithin(reported.node_seconds, since(earliest), since(latest));
    });

    it.each(['does not exist', 'belongs to another organisation', 'ended before the window'])(
      'is empty for an experiment that %s',
      async (what) => {
        await worked({ scheduled: ago(60 * MINUTE), ready: ago(55 * MINUTE) });
        await transferred(org, profileId, ago(54 * MINUTE), 3_000_000_000);
        await used({ prompt_tokens: 5, backend_ms: 1_000 });
        const id =
          what === 'does not exist'
            ? newId()
            : what === 'belongs to another organisation'
              ? await experimentOf(service, await service.organisation(), {
                  since: ago(58 * MINUTE),
                  until: ago(52 * MINUTE),
                })
              : await experimentOf(service, org, { since: ago(50 * HOUR), until: ago(40 * HOUR) });
        const row = await of(id);
        expect(row).toMatchObject({ activation_count: 0, node_seconds: 0, tokens_served: 0, active_duration_s: 0 });
        expect(row).toMatchObject({ transfer_usd: 0, storage_usd: 0, idle_time_s: 0, total_usd: 0 });
      },
    );
  });

  describe('covers hours', () => {
    it.each([
      ['that are a day by default', '', [20 * HOUR]],
      ['as requested', '?hours=48', [20 * HOUR, 40 * HOUR]],
      ['that are 90 days at most', '?hours=1000000', [20 * HOUR, 40 * HOUR, 2_159 * HOUR]],
    ])('covers hours %s', async (_what, query, counted) => {
      await used(...[20, 40, 2_159, 2_161].map((hours) => ({ at: ago(hours * HOUR), prompt_tokens: hours })));
      expect((await rowOf(profileId, query)).tokens_served).toBe(counted.reduce((sum, ms) => sum + ms / HOUR, 0));
    });

    it.each(['0', '-1', 'abc', '1.5'])('refuses hours of %j', async (hours) => {
      const { status, body } = await org.viewer.get(`${COSTS}/breakdown?hours=${hours}`);
      expect([status, (body as JsonObject).errors]).toEqual([400, [expect.objectContaining({ field: 'hours' })]]);
    });

    it('refuses an experiment without a valid id', async () => {
      const { status, body } = await org.viewer.get(`${COSTS}/breakdown?experiment_id=first`);
      expect([status, (body as JsonObject).errors]).toEqual([
        400,
        [{ field: 'experiment_id', message: 'must be a UUID' }],
      ]);
    });
  });
});
