import { setTimeout } from 'node:timers/promises';
import { newId } from '../../../../src/1-platform/common/ids';
import { beat, buildPolicy, heartbeat, maintenance, ofNamespace, ofSlurmJobs } from '../../../support/policies';
import { Service, type Organisation } from '../../../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../../../support/slurm-builders';
import { buildCluster, buildPod, ok } from '../../../support/workloads';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Firings {
  from: string;
  until: string;
  beats: number;
  planned: number;
  overdue: number;
  fired: number;
  requested: number;
  ready: number;
  failed: number;
  late: number;
  missed: number;
  empty: number;
}
interface Asked {
  /** Hours from the last full hour. */
  hour: number;
  pod?: string;
  slurmJob?: number;
  status?: string;
  /** Seconds from the beat to the request, and to its end. */
  after?: number;
  took?: number | null;
}

describe('the schedule of policies', () => {
  let service: Service;
  let org: Organisation;
  let clusterId: string;
  /** The last full hour, in UTC. */
  let base: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    clusterId = await buildCluster(org);
    // Not within the last minute of an hour, because its end would pass during the test on a busy machine.
    const left = HOUR - (Date.now() % HOUR);
    if (left < 60_000) await setTimeout(left);
    base = Math.floor(Date.now() / HOUR) * HOUR;
  });
  afterAll(() => service.close());

  const at = (hour: number): string => new Date(base + hour * HOUR).toISOString();
  const schedule = async (query: Record<string, string> = {}) =>
    ok(await org.viewer.get(`/v1/policy/schedule?${new URLSearchParams(query).toString()}`)).body;
  const firingsOf = async (policy_id: string, from = -48, until = 24): Promise<Firings[]> =>
    (await schedule({ policy_id, from: at(from), until: at(until) })).policies[0]?.firings ?? [];
  const sum = (firings: Firings[], member: Exclude<keyof Firings, 'from' | 'until'>) =>
    firings.reduce((total, one) => total + one[member], 0);
  const inHour = (firings: Firings[], hour: number) => firings.find(({ from }) => from === at(hour));

  /** A heartbeat of every full hour since `hours` ago. Its next beat is the next full hour, or `nextHour`. */
  const hourly = async (hours: number, nextHour = 1, filter = ofNamespace(clusterId)): Promise<string> => {
    const id = await buildPolicy(org, filter, heartbeat(3_600));
    await service.db.query('update policies set created_at = $2, next_at = $3, last_beat_at = $4 where id = $1', [
      id,
      at(-hours - 1),
      at(nextHour),
      at(nextHour - 1),
    ]);
    return id;
  };
  const request = async (policyId: string | null, asked: Asked[]): Promise<void> => {
    for (const { hour, pod = 'a', slurmJob: job = null, status = 'ready', after = 2, took = 30 } of asked) {
      const due = base + hour * HOUR;
      const created = new Date(due + after * 1_000);
      await service.db.query(
        `insert into actions (org_id, id, cluster_id, type, status, reason, kind, platform, checkpoint_id, pod_id, pod_uid,
           pod_name, namespace, node_name, policy_id, beat_at, details, created_at, answer_by, ended_at,
           slurm_job_id)
         values ($1, $2, $3, 'heartbeat', $4, 'heartbeat', 'simple', 'kubernetes', $5, $6, $7, $7, 'training', 'node-1', $8, $9, '{}',
           $10, $10, $11, $12)`,
        [
          org.id,
          newId(),
          clusterId,
          status,
          newId(),
          job === null ? (podIds.get(pod) ?? podIds.set(pod, newId()).get(pod)) : null,
          job === null ? pod : '',
          policyId,
          policyId === null ? null : new Date(due),
          created,
          took === null ? null : new Date(created.getTime() + took * 1_000),
          job,
        ],
      );
    }
  };
  const podIds = new Map<string, string>();

  it('counts what each beat of an hour requested, and how that went', async () => {
    const id = await hourly(4);
    await request(id, [
      { hour: -4 },
      { hour: -4, pod: 'b', status: 'error' },
      { hour: -3 },
      { hour: -3, pod: 'b' },
      { hour: -2, after: 90 },
      { hour: -1 },
      { hour: 0, status: 'processing', took: null },
    ]);
    const firings = await firingsOf(id, -10, 3);
    const one = { beats: 1, planned: 0, overdue: 0, fired: 1, late: 0, missed: 0, empty: 0 };
    expect(firings).toEqual([
      { from: at(-4), until: at(-3), ...one, requested: 2, ready: 1, failed: 1 },
      { from: at(-3), until: at(-2), ...one, requested: 2, ready: 2, failed: 0 },
      { from: at(-2), until: at(-1), ...one, requested: 1, ready: 1, failed: 0, late: 1 },
      { from: at(-1), until: at(0), ...one, requested: 1, ready: 1, failed: 0 },
      { from: at(0), until: at(1), ...one, requested: 1, ready: 0, failed: 0 },
      { from: at(1), until: at(2), ...one, planned: 1, fired: 0, requested: 0, ready: 0, failed: 0 },
      { from: at(2), until: at(3), ...one, planned: 1, fired: 0, requested: 0, ready: 0, failed: 0 },
    ]);
  });

  describe('calls a beat without a request', () => {
    const gap = async (hours: number[]): Promise<Record<string, [missed: number, empty: number]>> => {
      const id = await hourly(12);
      await request(
        id,
        hours.map((hour) => ({ hour })),
      );
      return outcomes(id);
    };
    const outcomes = async (id: string): Promise<Record<string, [number, number]>> =>
      Object.fromEntries(
        (await firingsOf(id, -12, 1))
          .filter(({ missed, empty }) => missed + empty > 0)
          .map(({ from, missed, empty }) => [(Date.parse(from) - base) / HOUR, [missed, empty]]),
      );
    const all = Array.from({ length: 13 }, (_, place) => place - 12);
    const without = (...gone: number[]) => all.filter((hour) => !gone.includes(hour));

    it('calls a beat missed if a workload was requested before and after, and nothing kept the beat from requesting it', async () => {
      expect(await gap(without(-7, -6, -5, -2))).toEqual({ '-7': [1, 0], '-6': [1, 0], '-5': [1, 0], '-2': [1, 0] });
    });

    it('calls a beat empty if different workloads ran before and after', async () => {
      const id = await hourly(12);
      await request(id, [
        ...all.filter((hour) => hour < -6).map((hour) => ({ hour, pod: 'old' })),
        ...all.filter((hour) => hour > -4).map((hour) => ({ hour, pod: 'new' })),
      ]);
      expect(await outcomes(id)).toEqual({ '-6': [0, 1], '-5': [0, 1], '-4': [0, 1] });
    });

    it('calls a beat empty while the checkpoint of the only workload was still open, and missed from its end on', async () => {
      const id = await hourly(12);
      await request(id, [
        ...without(-6, -5, -4, -3).map((hour) => ({ hour, ...(hour === -7 ? { took: 2.5 * 3_600 } : {}) })),
      ]);
      expect(await outcomes(id)).toEqual({ '-6': [0, 1], '-5': [0, 1], '-4': [1, 0], '-3': [1, 0] });
    });

    it('calls a beat empty if somebody else had requested a checkpoint of the workload meanwhile', async () => {
      const id = await hourly(12);
      await request(
        id,
        without(-6, -5).map((hour) => ({ hour })),
      );
      await request(null, [{ hour: -6, after: -60, took: 2 * 3_600 }]);
      expect(await outcomes(id)).toEqual({ '-6': [0, 1], '-5': [0, 1] });
    });

    it('calls a beat empty if nothing was ever requested', async () => {
      const id = await hourly(3);
      expect(await outcomes(id)).toEqual({ '-3': [0, 1], '-2': [0, 1], '-1': [0, 1], '0': [0, 1] });
    });

    it('calls a beat missed or empty in the same way if it is for Slurm jobs', async () => {
      const hpc = await slurmCluster(org);
      ok(await syncJobs(org.controller, hpc, [slurmJob(7)]));
      const id = await hourly(12, 1, ofSlurmJobs(hpc, 7));
      await request(
        id,
        without(-7, -6, -2).map((hour) => ({ hour, slurmJob: 7 })),
      );
      await request(null, [{ hour: -2, after: -60, slurmJob: 7 }]);
      // A job of that number on another cluster says nothing.
      await service.db.query('update actions set cluster_id = $2 where org_id = $1 and policy_id is not null', [
        org.id,
        hpc,
      ]);
      await request(null, [{ hour: -6, after: -60, slurmJob: 7 }]);
      await service.db.query(
        'update actions set cluster_id = $2 where org_id = $1 and policy_id is null and created_at > $3',
        [org.id, hpc, at(-4)],
      );
      expect(await outcomes(id)).toEqual({ '-7': [1, 0], '-6': [1, 0], '-2': [0, 1] });
    });

    it('calls a beat missed if it is overdue and a later one is due too; the newest is overdue', async () => {
      const id = await hourly(6, -3);
      await request(
        id,
        [-6, -5, -4].map((hour) => ({ hour })),
      );
      expect(await outcomes(id)).toEqual({ '-3': [1, 0], '-2': [1, 0], '-1': [1, 0] });
      const firings = await firingsOf(id, -6, 3);
      expect(inHour(firings, 0)).toMatchObject({ beats: 1, overdue: 1, missed: 0, empty: 0, planned: 0 });
      expect(inHour(firings, 1)).toMatchObject({ planned: 1 });
    });
  });

  it('knows the ends of a span from the beats around it', async () => {
    const id = await hourly(12);
    await request(
      id,
      [-12, -11, -4, -3].map((hour) => ({ hour })),
    );
    const firings = await firingsOf(id, -10, -5);
    expect(firings.map(({ missed }) => missed)).toEqual([1, 1, 1, 1, 1]);
  });

  it('adds up a heartbeat of ten seconds by the hour, however many beats that are', async () => {
    const id = await buildPolicy(org, ofNamespace(clusterId), heartbeat(10));
    await service.db.query('update policies set created_at = $2, next_at = $3, last_beat_at = $4 where id = $1', [
      id,
      at(-200),
      at(1),
      new Date(base + HOUR - 10_000),
    ]);
    const firings = await firingsOf(id, -100, 68);
    expect([firings.length, sum(firings, 'beats')]).toEqual([168, 60_480]);
    expect(new Set(firings.map(({ beats }) => beats))).toEqual(new Set([360]));
    expect(sum(firings, 'planned') + sum(firings, 'empty')).toBe(60_480);
    const month = await schedule({ policy_id: id, from: at(0), until: at(30 * 24) });
    expect(month.bucket_seconds).toBe(6 * 3_600);
    expect([month.policies[0].firings.length, sum(month.policies[0].firings, 'beats')]).toEqual([120, 259_200]);
  });

  it('ends with the last beat of a disabled policy, and begins with the first one of a new policy', async () => {
    const id = await hourly(12);
    await request(id, [{ hour: -8 }, { hour: -7 }]);
    await service.db.query("update policies set status = 'disabled', next_at = null, last_beat_at = $2 where id = $1", [
      id,
      at(-7),
    ]);
    const firings = await firingsOf(id, -8, 24);
    expect(firings.map(({ from, fired }) => [from, fired])).toEqual([
      [at(-8), 1],
      [at(-7), 1],
    ]);
    const fresh = await buildPolicy(org, ofNamespace(clusterId), heartbeat(1_800));
    expect(sum(await firingsOf(fresh, -24, 0), 'beats')).toBe(0);
    const next = new Date((await org.viewer.get(`/v1/policy/pipeline/${fresh}`)).body.next_at).getTime();
    const first = (await firingsOf(fresh, -1, 24))[0];
    expect(Date.parse(first?.from ?? '')).toBe(Math.floor(next / HOUR) * HOUR);
  });

  it('shows a maintenance policy as one window', async () => {
    await buildPod(org, clusterId);
    const to = (hours: number) => hours * 3_600;
    const [open, later, over, missed] = [
      await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, to(2))),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(to(1), to(2))),
      await buildPolicy(org, ofNamespace(clusterId, 'nobody'), maintenance(-60, to(2))),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, to(2))),
    ];
    await beat(service, open, over);
    const end = (id: string, matched: string | null) =>
      service.db.query(
        `update policies set status = 'disabled', next_at = null, starts_at = clock_timestamp() - interval '2 hours',
           ends_at = clock_timestamp() - interval '1 hour', matched_at = $2 where id = $1`,
        [id, matched],
      );
    await end(over, new Date(Date.now() - 1.5 * HOUR).toISOString());
    await end(missed, null);
    const { policies } = await schedule();
    const shown = (id: string) => policies.find((one: { policy_id: string }) => one.policy_id === id);
    const nothing = { beats: 1, planned: 0, overdue: 0, fired: 0, requested: 0, ready: 0, failed: 0, late: 0 };
    expect(shown(open).firings).toEqual([
      expect.objectContaining({ ...nothing, fired: 1, requested: 1, missed: 0, empty: 0 }),
    ]);
    const { starts_at, ends_at } = (await service.db.query('select * from policies where id = $1', [open])).rows[0];
    expect(shown(open).firings[0]).toMatchObject({ from: starts_at.toISOString(), until: ends_at.toISOString() });
    expect(shown(later).firings).toEqual([expect.objectContaining({ ...nothing, planned: 1, missed: 0, empty: 0 })]);
    expect(shown(over).firings).toEqual([expect.objectContaining({ ...nothing, missed: 0, empty: 1 })]);
    expect(shown(missed).firings).toEqual([expect.objectContaining({ ...nothing, missed: 1, empty: 0 })]);
    expect(shown(later)).toMatchObject({ trigger: 'maintenance', interval_seconds: null, status: 'active' });
  });

  it('names the next ten firings over all policies, in the order of time', async () => {
    const [hour, window, overdue] = [
      await buildPolicy(org, ofNamespace(clusterId), heartbeat(3_600), { name: 'hourly' }),
      await buildPolicy(org, ofNamespace(clusterId), maintenance(4_000, 5_000)),
      await buildPolicy(org, ofNamespace(clusterId), heartbeat(7_200)),
    ];
    // An open window has begun, and a disabled policy does nothing.
    await buildPolicy(org, ofNamespace(clusterId), maintenance(-60, 5_000));
    const disabled = await buildPolicy(org, ofNamespace(clusterId), heartbeat(10));
    await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [disabled]);
    await service.db.query("update policies set next_at = clock_timestamp() - interval '5 hours' where id = $1", [
      overdue,
    ]);
    const { next_firings: next, at: now, waiting, waiting_count: waits } = await schedule();
    const inSeconds = ({ at: due }: { at: string }) => Math.round((Date.parse(due) - Date.parse(now)) / 100) / 10;
    expect(next.map(({ policy_id }: { policy_id: string }) => policy_id)).toEqual([
      overdue,
      hour,
      overdue,
      window,
      hour,
      hour,
      overdue,
      hour,
      hour,
      overdue,
    ]);
    const seconds = next.map(inSeconds);
    expect(seconds).toEqual([...seconds].sort((a: number, b: number) => a - b));
    // Five hours late: the moment of four hours ago was replaced by that of one hour ago.
    expect(seconds[0]).toBeCloseTo(-3_600, -2);
    expect(next[0]).toMatchObject({ cluster_status: 'active', until: null });
    expect(next[1]).toMatchObject({ name: 'hourly', trigger: 'heartbeat', cluster_status: 'active' });
    expect(Date.parse(next[3].until) - Date.parse(next[3].at)).toBe(1_000_000);
    expect([waiting, waits]).toEqual([[], 0]);
  });

  it('lists policies of silent clusters apart, so that they take no place among the next firings', async () => {
    const silentId = await buildCluster(org, 'silent');
    const silent: string[] = [];
    for (let place = 0; place < 12; place++)
      silent.push(await buildPolicy(org, ofNamespace(silentId), heartbeat(7_200)));
    await buildPolicy(org, ofNamespace(silentId), maintenance(-60, 5_000));
    const hour = await buildPolicy(org, ofNamespace(clusterId), heartbeat(3_600));
    await service.db.query("update clusters set last_sync = now() - interval '10 minutes' where id = $1", [silentId]);
    // All are overdue, the last one for the longest time.
    await service.db.query(
      `update policies set next_at = now() - make_interval(mins => 9 * array_position($1::uuid[], id))
       where id = any($1)`,
      [silent],
    );
    const { next_firings: next, waiting, waiting_count: waits, at: now } = await schedule();
    expect(next.map(({ policy_id: id }: { policy_id: string }) => id)).toEqual(Array(10).fill(hour));
    expect(waits).toBe(12);
    expect(waiting.map(({ policy_id: id }: { policy_id: string }) => id)).toEqual(silent.slice(2).toReversed());
    expect(waiting[0]).toMatchObject({ cluster_name: 'silent', cluster_status: 'inactive', until: null });
    for (const { at: due } of waiting) expect(Date.parse(due)).toBeLessThan(Date.parse(now));

    const other = await service.organisation();
    const { waiting_count: ofOther } = ok(await other.viewer.get('/v1/policy/schedule')).body;
    expect(ofOther).toBe(0);
  });

  it('is the week around now by default, and at most 32 days', async () => {
    const { from, until, bucket_seconds: bucket } = await schedule();
    expect([Date.parse(until) - Date.parse(from), bucket]).toEqual([7 * DAY, 3_600]);
    expect(Math.abs((Date.parse(from) + Date.parse(until)) / 2 - service.clock.now().getTime())).toBeLessThan(1_000);
    const zoned = await schedule({ from: '2026-03-01T00:00:00+05:30' });
    expect([zoned.from, zoned.until]).toEqual(['2026-02-28T18:30:00.000Z', '2026-03-07T18:30:00.000Z']);
    const before = await schedule({ until: '2026-03-08T00:00:00Z' });
    expect(before.from).toBe('2026-03-01T00:00:00.000Z');
    const refused = async (query: string) => {
      const { status, body } = await org.viewer.get(`/v1/policy/schedule?${query}`);
      return [status, (body.errors as { field: string; message: string }[])[0]];
    };
    const span = (end: string) => `from=2026-03-01T00:00:00Z&until=${end}`;
    expect(await refused(span('2026-04-02T00:00:01Z'))).toEqual([
      400,
      { field: 'until', message: 'must be at most 32 days after from' },
    ]);
    expect(await refused(span('2026-03-01T00:00:00Z'))).toEqual([
      400,
      { field: 'until', message: 'must be after from' },
    ]);
    expect((await refused('from=yesterday'))[0]).toBe(400);
    expect((await refused('limit=0'))[0]).toBe(400);
    expect((await refused('policy_id=7'))[0]).toBe(400);
    ok(await org.viewer.get(`/v1/policy/schedule?${span('2026-04-02T00:00:00Z')}`));
    ok(await org.viewer.get('/v1/policy/schedule?from=9999-12-31T00:00:00Z'));
  });

  it('has the policies of a page, active ones first, and counts all; none of another organisation', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await hourly(3));
    await service.db.query("update policies set status = 'disabled', next_at = null where id = $1", [ids[2]]);
    const page = async (query: Record<string, string>) => {
      const { policies, total_count: total } = await schedule(query);
      return [policies.map(({ policy_id }: { policy_id: string }) => policy_id), total];
    };
    const span = { from: at(-3), until: at(3) };
    expect(await page(span)).toEqual([[ids[1], ids[0], ids[2]], 3]);
    expect(await page({ ...span, limit: '2' })).toEqual([[ids[1], ids[0]], 3]);
    expect(await page({ ...span, limit: '2', offset: '2' })).toEqual([[ids[2]], 3]);
    expect(await page({ ...span, limit: '1000', offset: '3' })).toEqual([[], 3]);
    // After its last beat, a disabled policy has none.
    expect(await page({ from: at(1), until: at(2) })).toEqual([[ids[1], ids[0]], 2]);
    const other = await service.organisation();
    expect((await other.viewer.get('/v1/policy/schedule')).body).toMatchObject({
      total_count: 0,
      policies: [],
      next_firings: [],
    });
    expect((await other.viewer.get(`/v1/policy/schedule?policy_id=${ids[0]}`)).body.policies).toEqual([]);
  });

  it('is shown in both views of a policy: when it is due next, its last beat, and how its last requests went', async () => {
    const pod = await buildPod(org, clusterId);
    const id = await buildPolicy(org, ofNamespace(clusterId), heartbeat(600));
    const views = async () => [
      (await org.viewer.get(`/v1/policy/pipeline/${id}`)).body,
      (await org.viewer.get('/v1/policy/list')).body.policies[0],
    ];
    const { rows } = await service.db.query('select name from clusters where id = $1', [clusterId]);
    const stored = async () => (await service.db.query('select * from policies where id = $1', [id])).rows[0];
    for (const view of await views())
      expect(view).toMatchObject({
        next_at: (await stored()).next_at.toISOString(),
        last_beat_at: null,
        last_firing: null,
        cluster_name: rows[0].name,
        cluster_status: 'active',
      });
    await beat(service, id);
    await service.db.query("update actions set status = 'ready' where pod_id = $1", [pod.id]);
    const { last_beat_at: beaten, next_at: next } = await stored();
    for (const view of await views())
      expect(view).toMatchObject({
        next_at: next.toISOString(),
        last_beat_at: beaten.toISOString(),
        last_firing: { due_at: beaten.toISOString(), requested: 1, ready: 1, failed: 0 },
      });
    // A beat that finds nothing leaves the last one that did.
    await service.db.query('update pods set deleted = true where id = $1', [pod.id]);
    await beat(service, id);
    await service.db.query("update clusters set last_sync = now() - interval '10 minutes' where id = $1", [clusterId]);
    for (const view of await views()) {
      expect(view).toMatchObject({ cluster_status: 'inactive', last_firing: { due_at: beaten.toISOString() } });
      expect(Date.parse(view.last_beat_at)).toBeGreaterThan(beaten.getTime());
    }
  });
});
