import { newId } from '../../../../src/1-platform/common/ids';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { bind } from '../../../../src/1-platform/database/transactions/statement';
import {
  readBackendTimes,
  readPricesOfRequest,
  readRoutedProfiles,
  ROUTED_PROFILES,
  type RoutedProfileRow,
} from '../../../../src/5-traffic/routes/choice/routing-tables.queries';
import type { PlanNode } from '../../../plans/plan-reader';
import { measured } from '../../../support/chat';
import { buildModel } from '../../../support/inference';
import { buildArtifact, createProfile, reportPhase, setState } from '../../../support/profiles';
import { Service, type Organisation } from '../../../support/service';

const startsRead = (node: PlanNode): number =>
  (node['Relation Name'] === 'starts' ? (node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0) : 0) +
  (node.Plans ?? []).reduce((sum, below) => sum + startsRead(below), 0);

/** What a replica reads of the profiles between which it chooses. */
describe('the profiles of the routes', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    [profileId = ''] = (await buildModel(org)).profileIds;
  });
  afterAll(() => service.close());

  const rows = (): Promise<RoutedProfileRow[]> => readRoutedProfiles(service.app.get(StatementPool), org.id);
  const row = async (): Promise<RoutedProfileRow | undefined> => (await rows())[0];

  /** A worker that serves since then, with a pod of its own. */
  async function serving(secondsAgo: number): Promise<string> {
    const id = newId();
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, pod_uid)
       select $1, $2, $3, 0, at, true, at + interval '10 seconds', gen_random_uuid()
       from (select clock_timestamp() - make_interval(secs => $4) as at) ago`,
      [org.id, id, profileId, secondsAgo],
    );
    return id;
  }
  const credit = (startId: string): Promise<unknown> =>
    service.db.query("insert into start_credits (org_id, start_id, request_id) values ($1, $2, 'first')", [
      org.id,
      startId,
    ]);

  it('have one row each, and profiles that no route names have none', async () => {
    await createProfile(org);
    const { profileIds } = await buildModel(org, [{}, {}]);
    expect((await rows()).map(({ profile_id: id }) => id).toSorted()).toEqual([profileId, ...profileIds].toSorted());
  });

  it('have one row each however many starts they have, with that of the activation', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    await measured(service, org, profileId, 'restore', 1_000);
    const others = [await serving(600), await serving(300)];
    const found = await rows();
    expect(found).toHaveLength(1);
    expect(found[0]?.start_id).not.toBeNull();
    expect(others).not.toContain(found[0]?.start_id);
    expect(found[0]).toMatchObject({ phase: 'Ready', start_kind: 'cold', start_ready: true, start_failed: false });
    expect(found[0]?.start_took_ms).toBeNull();
  });

  it('say whether the start of the activation and those of their workers are credited to a request', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    const [credited, other] = [await serving(600), await serving(300)];
    await credit(credited);
    const started = await row();
    expect(started?.start_credited).toBe(false);
    expect(started?.starts.map(({ id, credited: is }) => [id, is])).toEqual([
      [other, false],
      [credited, true],
    ]);
    await credit(started?.start_id ?? '');
    expect((await row())?.start_credited).toBe(true);
  });

  it('have the median of the 50 newest starts of either kind', async () => {
    expect(await row()).toMatchObject({ cold_median_ms: null, restore_median_ms: null });
    await measured(service, org, profileId, 'cold', ...Array<number>(60).fill(9_000));
    // Several may begin in the same millisecond.
    await service.db.query(
      "update starts set began_at = began_at - interval '1 day', ready_at = ready_at - interval '1 day'",
    );
    await measured(service, org, profileId, 'cold', ...Array.from({ length: 50 }, (_, n) => (n + 1) * 100));
    await measured(service, org, profileId, 'restore', 300, 100, 200);
    expect(await row()).toMatchObject({ cold_median_ms: 2_500, restore_median_ms: 200 });
  });

  it('know whether an artifact of theirs can be restored', async () => {
    const other = await createProfile(org);
    await org.admin.post('/v1/inference/artifacts', buildArtifact(other, `a-${newId()}`));
    expect((await row())?.has_artifact).toBe(false);
    const own = (await org.viewer.get(`/v1/inference/profiles/${profileId}`)).body;
    const made = await org.admin.post('/v1/inference/artifacts', buildArtifact(own, `a-${newId()}`));
    expect([made.status, made.body.status]).toEqual([201, 'ready']);
    expect((await row())?.has_artifact).toBe(true);
  });

  const change = (id: string | null | undefined, set: string): Promise<unknown> =>
    service.db.query(`update starts set ${set} where id = $1`, [id]);

  it('have the times of the start of the activation in milliseconds', async () => {
    await reportPhase(org.controller, profileId, 'Ready');
    const { start_id: id } = (await row()) ?? {};
    const ago = (seconds: number): string => `clock_timestamp() - interval '${seconds} seconds'`;
    await change(id, `began_at = ${ago(60)}, ready_at = ${ago(60)} + interval '40 seconds', beginning_seen = true`);
    const found = await row();
    expect(found?.start_took_ms).toBeGreaterThan(39_990);
    expect(found?.start_took_ms).toBeLessThan(40_010);
    expect(found?.start_runs_ms).toBeGreaterThanOrEqual(60_000);
    expect(found?.start_runs_ms).toBeLessThan(75_000);
    expect(found?.start_ready_ms).toBeGreaterThanOrEqual(19_990);
    expect(found?.start_ready_ms).toBeLessThan(35_000);
  });

  it('have the newest capacity intent, with its age and that of its request in milliseconds', async () => {
    await setState(org.operator, profileId, { desired_state: 'Suspended' });
    await setState(org.operator, profileId, { desired_state: 'Active', desired_replicas: 1 });
    await service.db.query(
      `update capacity_intents set requested_at = clock_timestamp() - interval '30 seconds',
         updated_at = clock_timestamp() - interval '10 seconds' where org_id = $1 and profile_id = $2`,
      [org.id, profileId],
    );
    const found = await row();
    expect(found).toMatchObject({ desired_state: 'Active', desired_replicas: 1 });
    expect(found?.asked_ms_ago).toBeGreaterThanOrEqual(30_000);
    expect(found?.asked_ms_ago).toBeLessThan(45_000);
  });

  it('have their own workers that serve, the newest first, and a time only if their beginning was seen', async () => {
    const [other = ''] = (await buildModel(org)).profileIds;
    const [unseen, seen] = [await serving(100), await serving(200)];
    await change(unseen, 'beginning_seen = false');
    await change(await serving(300), `profile_id = '${other}'`);
    await change(await serving(400), 'ended_at = clock_timestamp()');
    await change(await serving(500), 'failed_at = clock_timestamp()');
    await change(await serving(600), 'ready_at = null');
    await change(await serving(700), 'pod_uid = null');
    const found = (await rows()).find(({ profile_id: id }) => id === profileId);
    expect(found?.starts.map(({ id, took_ms: tookMs }) => [id, tookMs])).toEqual([
      [unseen, null],
      [seen, 10_000],
    ]);
  });

  it('are those that classify requests too', async () => {
    const classifier = await createProfile(org);
    const id = String(classifier.profile_id);
    await service.db.query('update routes set classifier_profile_id = $2 where org_id = $1', [org.id, id]);
    expect((await rows()).map((one) => one.profile_id).toSorted()).toEqual([id, profileId].toSorted());
  });

  it('have the median of starts that are ready, whatever has begun since', async () => {
    await measured(service, org, profileId, 'cold', 100, 200, 300);
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen)
       select $1, gen_random_uuid(), $2, 0, clock_timestamp() + n * interval '1 second', true
       from generate_series(1, 60) n`,
      [org.id, profileId],
    );
    expect((await row())?.cold_median_ms).toBe(200);
  });

  it('have the median of the newest starts, however many there were before', async () => {
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at)
       select $1, gen_random_uuid(), $2, 0, at, true, at + interval '9 seconds'
       from generate_series(1, 1100) n, lateral (select clock_timestamp() - interval '1 day' - n * interval '1 minute' as at) ago`,
      [org.id, profileId],
    );
    await measured(service, org, profileId, 'cold', ...Array<number>(50).fill(1_000));
    expect((await row())?.cold_median_ms).toBe(1_000);
  });

  it.each([
    ['cold', 'restore'],
    ['restore', 'cold'],
  ] as const)('have the median of %s starts, however many of the kind %s followed', async (kind, other) => {
    await measured(service, org, profileId, kind, 4_000, 5_000, 6_000);
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at,
         restore_checkpoint_path)
       select $1, gen_random_uuid(), $2, 0, at, true, at + interval '9 seconds', at + interval '10 seconds', $3
       from generate_series(1, 1100) n, lateral (select clock_timestamp() - n * interval '1 second' as at) ago`,
      [org.id, profileId, other === 'restore' ? '/checkpoints/old' : null],
    );
    expect(await row()).toMatchObject({ [`${kind}_median_ms`]: 5_000, [`${other}_median_ms`]: 9_000 });
  });

  it('have medians of many starts, of which only those that count are read', async () => {
    await service.db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at,
         restore_checkpoint_path)
       select $1, gen_random_uuid(), $2, 0, at, true, at + interval '9 seconds', at + interval '1 minute',
         case when n % 2 = 0 then '/checkpoints/old' end
       from generate_series(1, 1000) n, lateral (select clock_timestamp() - n * interval '1 minute' as at) ago`,
      [org.id, profileId],
    );
    expect(await row()).toMatchObject({ cold_median_ms: 9_000, restore_median_ms: 9_000 });
    const client = await service.db.connect();
    try {
      // Of a small table, PostgreSQL reads all rows and sorts them.
      for (const way of ['seqscan', 'bitmapscan', 'sort']) await client.query(`set enable_${way} = off`);
      const { text, values } = bind(ROUTED_PROFILES, { org_id: org.id });
      const { rows: printed } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `explain (analyze, format json) ${text}`,
        [...values],
      );
      expect(startsRead(printed[0]!['QUERY PLAN'][0]!.Plan)).toBeLessThan(200);
    } finally {
      client.release(true);
    }
  });

  it('have prices for a request that nobody admitted, and without a rate of their node', async () => {
    const prices = (id: string | null) =>
      readPricesOfRequest(service.app.get(StatementPool), org.id, 'nobody admitted it', id);
    expect(await prices(profileId)).toMatchObject({
      profile_id: profileId,
      node_hourly_usd: null,
      reserved_usd: null,
    });
    expect(await prices(null)).toBeUndefined();
  });

  it('have times of the last day if they answered a request in it', async () => {
    const times = () => readBackendTimes(service.app.get(StatementPool), org.id);
    expect(await times()).toEqual([]);
    const answered = (hoursAgo: number, status: number, backendMs: number) =>
      service.db.query(
        `insert into usage_records (org_id, request_id, occurred_at, logical_model, profile_id, streamed,
           fallback_used, deadline_missed, cold_start_avoided_ms, cost_usd, status_code, backend_ms)
         values ($1, gen_random_uuid()::text, clock_timestamp() - make_interval(hours => $2), 'm', $3, false,
           false, false, 0, 0, $4, $5)`,
        [org.id, hoursAgo, profileId, status, backendMs],
      );
    await answered(25, 200, 9_000);
    await answered(1, 500, 8_000);
    expect(await times()).toEqual([]);
    for (const ms of [100, 200, 300]) await answered(1, 200, ms);
    expect(await times()).toEqual([{ profile_id: profileId, p50_ms: 200, p95_ms: 300 }]);
  });
});
