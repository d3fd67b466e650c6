import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { newer } from '../../../support/builders';
import { syncObjects, typed } from '../../../support/inventory';
import { beat, buildPolicy, maintenance, ofPods } from '../../../support/policies';
import { describeWithSamples, sample } from '../../../support/samples';
import {
  age,
  checkpointAt,
  containerAt,
  failureAt,
  savePrice,
  SAVINGS,
  savingsOf,
  summaryOf,
} from '../../../support/savings';
import { Service, type Organisation } from '../../../support/service';
import {
  askSlurmCheckpoint,
  flatJob,
  putSlurmInfo,
  putSlurmUploaded,
  takeUpSlurm,
} from '../../../support/slurm-checkpoints';
import { askCheckpoint, buildCluster, buildPod, ok, putInfo, putUploaded, takeUp } from '../../../support/workloads';

const DAY = '2026-11-20';
const at = (time: string) => `${DAY}T${time}.000Z`;
const row = (rows: JsonObject[], name: string) => rows.find((one) => one.pod_name === name);

let service: Service;
let org: Organisation;
let clusterId: string;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());
beforeEach(async () => {
  org = await service.organisation();
  clusterId = await buildCluster(org);
});

const checkpoint = (podUid: string, time: string, options: Parameters<typeof checkpointAt>[4] = {}) =>
  checkpointAt(service, org, podUid, at(time), options);
const pod = (name: string, options: object = {}) => buildPod(org, clusterId, { name, ...options });
const shown = () => savingsOf(service, org);
const estimate = (query: string, caller = org.viewer) => caller.get(`${SAVINGS}/estimate${query}`);

const node = (name: string, labels: Record<string, string>) => ({
  type: 'Node',
  kind: 'Node',
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: '1', labels },
  status: {},
});

describeWithSamples('savings of pods on real nodes', () => {
  const SPOT = sample('k8s/node-eks-karpenter-p4d-spot.json');
  const ON_DEMAND = sample('k8s/node-eks-karpenter-g6-ondemand.json');
  const BARE = sample('k8s/node-ec2-g4dn-gpu-operator.json');

  beforeEach(async () => {
    await syncObjects(org.controller, clusterId, ...[SPOT, ON_DEMAND, BARE].map((one) => typed('Node', one)));
    await savePrice(org, { instance_type: 'p4d.24xlarge', capacity_type: 'spot', spot_price_per_hour: 12 });
    await savePrice(org, { instance_type: 'p4d.24xlarge', capacity_type: 'on-demand', ondemand_price_per_hour: 32.77 });
    await savePrice(org, { instance_type: 'g6.xlarge', capacity_type: 'on-demand', ondemand_price_per_hour: 0.8 });
  });

  it('are the preserved work of its checkpoints times the price of the node', async () => {
    // Two containers: 20 s and 10 s; 3 GB and 1 GB.
    const containers = [
      { seconds: 20, bytes: 3e9 },
      { seconds: 10, bytes: 1e9 },
    ];
    const train = await pod('train', { node: SPOT.metadata.name });
    await checkpoint(train.uid, '10:00:00', { reason: 'heartbeat', containers });
    await checkpoint(train.uid, '10:30:00', { reason: 'heartbeat', containers });
    await failureAt(service, org, train.uid, at('11:15:00'));
    await checkpoint(train.uid, '12:00:00', { reason: 'manual', containers });
    await checkpoint(train.uid, '12:10:00', { reason: 'heartbeat', containers });

    const web = await pod('web', { node: ON_DEMAND.metadata.name, namespace: 'serving' });
    const nameless = { gpu: '', platform: '' };
    await checkpoint(web.uid, '11:00:00', { info: nameless });
    await checkpoint(web.uid, '12:00:00', { info: nameless });
    await checkpoint(web.uid, '12:30:00', { info: nameless });

    const rows = await shown();
    expect(rows.map(({ pod_name }) => pod_name)).toEqual(['web', 'train']);
    expect(row(rows, 'train')).toEqual({
      pod_name: 'train',
      namespace: 'training',
      cluster_id: clusterId,
      node_name: SPOT.metadata.name,
      node_region: 'ap-northeast-2',
      instance_type: 'p4d.24xlarge',
      capacity_type: 'spot',
      gpu: 'NVIDIA H100',
      platform: 'linux/amd64',
      first_checkpoint: at('10:00:00'),
      last_checkpoint: at('12:10:00'),
      refreshed_at: expect.any(String),
      checkpoint_count: 4,
      heartbeat_checkpoints: 3,
      manual_checkpoints: 1,
      other_checkpoints: 0,
      total_checkpoint_duration_ns: 4 * (20 + 10) * 1e9,
      total_checkpoint_size_bytes: 4 * (3e9 + 1e9),
      // 10:00 to 12:10; 30, 90 and 10 minutes between.
      time_protected_seconds: 130 * 60,
      avg_interval_seconds: (130 * 60) / 3,
      min_interval_seconds: 10 * 60,
      max_recovery_point_seconds: 90 * 60,
      // 130 minutes less 90 are two thirds of an hour, at 12 dollars.
      estimated_savings: 8,
      ondemand_price_per_hour: 32.77,
      spot_price_per_hour: 12,
      // 7,800 s / 120 s.
      protection_efficiency_ratio: 65,
    });
    expect(row(rows, 'web')).toMatchObject({
      namespace: 'serving',
      node_region: 'us-east-1',
      instance_type: 'g6.xlarge',
      capacity_type: 'on-demand',
      // The checkpoints do not name the type, the node does.
      gpu: 'l4',
      platform: 'kubernetes',
      checkpoint_count: 3,
      heartbeat_checkpoints: 0,
      manual_checkpoints: 3,
      time_protected_seconds: 90 * 60,
      avg_interval_seconds: 45 * 60,
      min_interval_seconds: 30 * 60,
      max_recovery_point_seconds: 60 * 60,
      // Half an hour at 0.8 dollars.
      estimated_savings: 0.4,
      ondemand_price_per_hour: 0.8,
      spot_price_per_hour: null,
      // 5,400 s / (3 x 6 s).
      protection_efficiency_ratio: 300,
    });

    const summary = await summaryOf(service, org);
    expect(summary).toEqual({
      org_id: org.id,
      refreshed_at: expect.any(String),
      pods_protected: 2,
      total_checkpoints: 4 + 3,
      total_heartbeat_checkpoints: 3,
      total_manual_checkpoints: 1 + 3,
      total_other_checkpoints: 0,
      total_checkpoint_overhead_ns: (120 + 18) * 1e9,
      total_checkpoint_storage_bytes: 16e9 + 3_000,
      // 130 and 90 minutes over three and two intervals.
      avg_checkpoint_interval_seconds: (220 * 60) / 5,
      total_estimated_savings: 8 + 0.4,
      total_time_protected_seconds: 220 * 60,
      worst_case_recovery_point_seconds: 90 * 60,
    });

    expect((await estimate('?hourly_rate=2.4')).body).toEqual({
      hourly_rate: 2.4,
      time_protected_seconds: 220 * 60,
      max_recovery_point_seconds: 90 * 60,
      // 220 minutes less 90 at 2.4 dollars an hour: 130 x 0.04.
      max_savings_per_failure: 5.2,
      // 138 s at 2.4 dollars an hour.
      checkpoint_overhead_cost: 0.092,
      net_potential_savings: 5.108,
      pods_protected: 2,
      total_checkpoints: 7,
    });
  });

  it('are null without a price or an instance type', async () => {
    const [priced, bare] = [
      await pod('priced', { node: ON_DEMAND.metadata.name }),
      await pod('bare', { node: BARE.metadata.name }),
    ];
    for (const time of ['10:00:00', '11:00:00', '12:00:00'])
      for (const { uid } of [priced, bare]) await checkpoint(uid, time);
    expect(row(await shown(), 'bare')).toMatchObject({
      node_region: null,
      instance_type: null,
      capacity_type: null,
      time_protected_seconds: 7_200,
      max_recovery_point_seconds: 3_600,
      estimated_savings: null,
      ondemand_price_per_hour: null,
      spot_price_per_hour: null,
    });
    expect(await summaryOf(service, org)).toMatchObject({ pods_protected: 2, total_estimated_savings: 0.8 });
    ok(await org.operator.delete('/v1/pricing/instance-types/g6.xlarge'));
    expect(row(await shown(), 'priced')).toMatchObject({ instance_type: 'g6.xlarge', estimated_savings: null });
    expect(await summaryOf(service, org)).toMatchObject({ pods_protected: 2, total_estimated_savings: 0 });
  });

  it('stay when pod and node are gone, with the type of the node at the time', async () => {
    const train = await pod('train', { node: SPOT.metadata.name });
    for (const time of ['10:00:00', '11:00:00']) await checkpoint(train.uid, time);
    const before = await shown();
    const end = { deletionTimestamp: '2026-11-20T13:00:00Z' };
    const phase = { phase: 'Succeeded' };
    await syncObjects(org.controller, clusterId, newer(train.resource as never, { metadata: end, status: phase }));
    // Another machine of that name, of another type.
    const successor = node(SPOT.metadata.name, { 'node.kubernetes.io/instance-type': 'm5.large' });
    await syncObjects(org.controller, clusterId, successor);
    const after = await shown();
    expect(after).toEqual(before.map((one) => ({ ...one, refreshed_at: expect.any(String) })));
    expect(after).toMatchObject([{ instance_type: 'p4d.24xlarge', capacity_type: 'spot' }]);
  });
});

describe('the savings of pods', () => {
  it('are zeros and nulls without checkpoints', async () => {
    expect(await shown()).toEqual([]);
    expect(await summaryOf(service, org)).toEqual({
      org_id: org.id,
      refreshed_at: expect.any(String),
      pods_protected: 0,
      total_checkpoints: 0,
      total_heartbeat_checkpoints: 0,
      total_manual_checkpoints: 0,
      total_other_checkpoints: 0,
      total_checkpoint_overhead_ns: 0,
      total_checkpoint_storage_bytes: 0,
      avg_checkpoint_interval_seconds: null,
      total_estimated_savings: 0,
      total_time_protected_seconds: 0,
      worst_case_recovery_point_seconds: null,
    });
    expect((await estimate('?hourly_rate=3')).body).toEqual({
      hourly_rate: 3,
      time_protected_seconds: 0,
      max_recovery_point_seconds: 0,
      max_savings_per_failure: 0,
      checkpoint_overhead_cost: 0,
      net_potential_savings: 0,
      pods_protected: 0,
      total_checkpoints: 0,
    });
  });

  it('shows no savings of a single checkpoint, because there is no interval', async () => {
    await syncObjects(org.controller, clusterId, node('typed', { 'node.kubernetes.io/instance-type': 'm5.large' }));
    await savePrice(org, { instance_type: 'm5.large', capacity_type: 'on-demand', ondemand_price_per_hour: 5 });
    const { uid } = await pod('once', { node: 'typed' });
    await checkpoint(uid, '10:00:00');
    expect(await shown()).toMatchObject([
      {
        first_checkpoint: at('10:00:00'),
        last_checkpoint: at('10:00:00'),
        checkpoint_count: 1,
        time_protected_seconds: 0,
        avg_interval_seconds: null,
        min_interval_seconds: null,
        max_recovery_point_seconds: null,
        estimated_savings: 0,
        protection_efficiency_ratio: 0,
      },
    ]);
    expect(await summaryOf(service, org)).toMatchObject({
      pods_protected: 1,
      avg_checkpoint_interval_seconds: null,
      worst_case_recovery_point_seconds: null,
    });
    // 6 s of overhead at 600 dollars an hour, without a benefit.
    expect((await estimate('?hourly_rate=600')).body).toMatchObject({
      max_savings_per_failure: 0,
      checkpoint_overhead_cost: 1,
      net_potential_savings: -1,
    });
  });

  it('have no efficiency if no duration of a checkpoint is known', async () => {
    const { uid } = await pod('quick');
    for (const time of ['10:00:00', '10:00:10']) {
      service.clock.set(at(time));
      const id = await takeUp(org, await askCheckpoint(org, uid));
      ok(await putUploaded(org, id));
    }
    expect(await shown()).toMatchObject([
      { total_checkpoint_duration_ns: 0, time_protected_seconds: 10, protection_efficiency_ratio: null },
    ]);
  });

  it('omit a pod whose checkpoints all failed, or are in progress', async () => {
    const [failing, going] = [await pod('failing'), await pod('going')];
    await failureAt(service, org, failing.uid, at('10:00:00'));
    const actionId = await askCheckpoint(org, going.uid);
    const [first, second] = [await takeUp(org, actionId), await takeUp(org, actionId)];
    ok(await putInfo(org, first));
    ok(await putUploaded(org, first));
    expect(await shown()).toEqual([]);
    expect(await summaryOf(service, org)).toMatchObject({ pods_protected: 0, total_checkpoints: 0 });
    // One container failed: the pod cannot be restored completely.
    ok(await putInfo(org, second, undefined, { error: 'out of memory' }));
    expect(await shown()).toEqual([]);
  });

  it('count a checkpoint with a further container when that is ready, and not at all if it fails', async () => {
    const { uid } = await pod('late');
    await checkpoint(uid, '10:00:00');
    const one = { seconds: 6, bytes: 1_000 };
    const actionId = await checkpoint(uid, '10:10:00', { containers: [one] });
    const figures = async () => {
      const [only] = await shown();
      return [only?.checkpoint_count, only?.time_protected_seconds, only?.total_checkpoint_size_bytes];
    };
    expect(await figures()).toEqual([2, 600, 2_000]);
    const id = await takeUp(org, actionId);
    expect(await figures()).toEqual([1, 0, 1_000]);
    service.clock.set(at('10:30:00'));
    ok(await putUploaded(org, id));
    expect(await figures()).toEqual([2, 1_800, 2_000]);
    // And a third, all between two refreshes.
    await containerAt(service, org, actionId, at('10:40:00'), { seconds: 1, bytes: 5 });
    expect(await figures()).toEqual([2, 2_400, 2_005]);
    ok(await putInfo(org, await takeUp(org, actionId), undefined, { error: 'out of memory' }));
    expect(await figures()).toEqual([1, 0, 1_000]);
  });

  it('omit a pod whose only checkpoint continued and failed', async () => {
    const { uid } = await pod('lost');
    const actionId = await checkpoint(uid, '10:00:00');
    expect(await shown()).toHaveLength(1);
    ok(await putInfo(org, await takeUp(org, actionId), undefined, { error: 'out of memory' }));
    expect(await shown()).toEqual([]);
  });

  it('count checkpoints that were deprecated later: they protected the pod at their time', async () => {
    const { uid } = await pod('old');
    for (const time of ['10:00:00', '10:10:00']) await checkpoint(uid, time);
    const { body } = await org.viewer.get('/v1/checkpoints');
    for (const { id } of body as { id: string }[]) ok(await org.operator.patch(`/v1/checkpoints/deprecate/${id}`));
    expect(await shown()).toMatchObject([{ checkpoint_count: 2, total_checkpoint_size_bytes: 2_000 }]);
  });

  it('counts a pod that was restored under another name separately, and restores as no checkpoints', async () => {
    const first = await pod('db-0', { checkpoint: 'nightly' });
    for (const time of ['10:00:00', '10:10:00']) await checkpoint(first.uid, time);
    const [{ action_id: newest }] = (await org.viewer.get('/v1/actions')).body as [{ action_id: string }];
    const restore = ok(await org.operator.post('/v1/restore/pod', { action_id: newest, reason: 'manual' })).text;
    ok(await org.controller.post('/v1/actions/upload', { action_id: restore, status: 'ready' }));
    const second = await pod('db-0-restored', { checkpoint: 'nightly' });
    for (const time of ['14:00:00', '14:05:00']) await checkpoint(second.uid, time);
    const figures = (await shown()).map((one) => [one.pod_name, one.checkpoint_count, one.max_recovery_point_seconds]);
    // It did not run in the four hours between.
    expect(figures).toEqual([
      ['db-0-restored', 2, 300],
      ['db-0', 2, 600],
    ]);
  });

  it('are separate for equally named pods in two clusters, or one after the other', async () => {
    const [here, again] = [await pod('same'), await pod('same')];
    const elsewhere = await buildPod(org, await buildCluster(org), { name: 'same' });
    for (const { uid } of [here, again, elsewhere])
      for (const time of ['10:00:00', '10:10:00']) await checkpoint(uid, time);
    const rows = await shown();
    expect(rows.map((one) => [one.pod_name, one.checkpoint_count])).toEqual([
      ['same', 2],
      ['same', 2],
      ['same', 2],
    ]);
    expect(new Set(rows.map(({ cluster_id }) => cluster_id)).size).toBe(2);
  });

  it('stay when their cluster is deleted, counted or not', async () => {
    const doomed = await buildPod(org, await buildCluster(org), { name: 'doomed' });
    const kept = await pod('kept');
    for (const { uid } of [doomed, kept]) await checkpoint(uid, '10:00:00');
    expect(await shown()).toHaveLength(2);
    await checkpoint(doomed.uid, '10:10:00');
    ok(await org.operator.delete(`/v1/cluster/${doomed.clusterId}`));
    const rows = await shown();
    expect(rows.map(({ pod_name, checkpoint_count }) => [pod_name, checkpoint_count])).toEqual([
      ['doomed', 2],
      ['kept', 1],
    ]);
    expect(await summaryOf(service, org)).toMatchObject({ pods_protected: 2, total_checkpoints: 3 });
  });

  it('count what a maintenance window requests as other checkpoints, beside heartbeats and those by hand', async () => {
    const train = await pod('train');
    await checkpoint(train.uid, '10:00:00', { reason: 'heartbeat' });
    await checkpoint(train.uid, '10:20:00', { reason: 'manual' });
    const policy = await buildPolicy(org, ofPods(clusterId, [train.uid]), maintenance(-60, 3_600));
    await beat(service, policy);
    const { rows } = await service.db.query<{ id: string }>('select id from actions where policy_id = $1', [policy]);
    expect(rows).toHaveLength(1);
    for (const { id } of rows) await containerAt(service, org, id, at('10:30:00'), { seconds: 6, bytes: 1_000 });
    expect(await shown()).toMatchObject([
      { checkpoint_count: 3, heartbeat_checkpoints: 1, manual_checkpoints: 1, other_checkpoints: 1 },
    ]);
    expect(await summaryOf(service, org)).toMatchObject({
      total_checkpoints: 3,
      total_heartbeat_checkpoints: 1,
      total_manual_checkpoints: 1,
      total_other_checkpoints: 1,
    });
  });

  it('include those of Slurm jobs', async () => {
    ok(await org.controller.post('/v1/slurm/jobs/sync', { cluster_id: clusterId, jobs: [flatJob(7)] }));
    for (const [time, reason] of [
      ['10:00:00', 'heartbeat'],
      ['10:20:00', 'preemption'],
      ['10:30:00', 'manual'],
    ] as const) {
      service.clock.set(at(time));
      const id = await takeUpSlurm(org, await askSlurmCheckpoint(org, clusterId, 7, { reason }));
      ok(await putSlurmInfo(org, id, { components: [{ name: 'dump', duration: 2e9, io: 10 }] }));
      ok(await putSlurmUploaded(org, id));
    }
    expect(await shown()).toMatchObject([
      {
        pod_name: 'job-7',
        namespace: 'gpu',
        node_name: 'n[1-2]',
        node_region: null,
        instance_type: null,
        capacity_type: null,
        gpu: 'NVIDIA H100',
        platform: 'slurm',
        checkpoint_count: 3,
        heartbeat_checkpoints: 1,
        manual_checkpoints: 1,
        other_checkpoints: 1,
        total_checkpoint_duration_ns: 6e9,
        time_protected_seconds: 1_800,
        max_recovery_point_seconds: 1_200,
        estimated_savings: null,
      },
    ]);
  });

  it("use the price of the node's instance type: its capacity type's row before the other", async () => {
    const type = (instance: string, capacity?: string) => ({
      'node.kubernetes.io/instance-type': instance,
      ...(capacity === undefined ? {} : { 'karpenter.sh/capacity-type': capacity }),
    });
    await syncObjects(
      org.controller,
      clusterId,
      node('spot', type('both', 'spot')),
      node('stays', type('both', 'on-demand')),
      node('reserved', type('both', 'reserved')),
      node('silent', type('both')),
      node('lonely', type('one-row', 'spot')),
      node('unpriced', type('no-spot', 'spot')),
    );
    const price = (instance_type: string, capacity_type: string, ondemand: number | null, spot: number | null) =>
      savePrice(org, { instance_type, capacity_type, ondemand_price_per_hour: ondemand, spot_price_per_hour: spot });
    await price('both', 'spot', 900, 3);
    await price('both', 'on-demand', 10, 900);
    await price('one-row', 'on-demand', 8, 2);
    await price('no-spot', 'on-demand', 8, null);
    for (const name of ['spot', 'stays', 'reserved', 'silent', 'lonely', 'unpriced']) {
      const { uid } = await pod(name, { node: name });
      // Three hours, of which the longest interval is two: one hour is saved.
      for (const time of ['10:00:00', '12:00:00', '13:00:00']) await checkpoint(uid, time);
    }
    const rows = await shown();
    const figures = (name: string) => {
      const one = row(rows, name);
      return [one?.capacity_type, one?.ondemand_price_per_hour, one?.spot_price_per_hour, one?.estimated_savings];
    };
    expect(figures('spot')).toEqual(['spot', 10, 3, 3]);
    expect(figures('stays')).toEqual(['on-demand', 10, 3, 10]);
    expect(figures('reserved')).toEqual([null, 10, 3, 10]);
    expect(figures('silent')).toEqual([null, 10, 3, 10]);
    expect(figures('lonely')).toEqual(['spot', 8, 2, 2]);
    expect(figures('unpriced')).toEqual(['spot', 8, null, null]);
  });

  it('are listed page by page, those with the newest checkpoints first', async () => {
    for (const [name, time] of [
      ['b', '10:00:00'],
      ['c', '12:00:00'],
      ['a', '11:00:00'],
    ] as const)
      await checkpoint((await pod(name)).uid, time);
    const names = async (query: string) => {
      const { body, headers } = await org.viewer.get(SAVINGS + query);
      return [(body as JsonObject[]).map(({ pod_name }) => pod_name).join(''), headers.link];
    };
    expect(await names('?limit=2')).toEqual(['ca', expect.stringContaining('rel="next"')]);
    expect(await names('?limit=2&offset=2')).toEqual(['b', undefined]);
  });

  it('neither shows nor refreshes savings of another organisation', async () => {
    const other = await service.organisation();
    await checkpoint((await pod('mine')).uid, '10:00:00');
    await age(service, org);
    for (const path of ['', '/summary', '/estimate?hourly_rate=1'])
      expect((await other.viewer.get(SAVINGS + path)).text).not.toContain('mine');
    expect((await other.viewer.get(`${SAVINGS}/summary`)).body).toMatchObject({ pods_protected: 0 });
    const { rows } = await service.db.query('select org_id from uncounted_checkpoints where org_id = $1', [org.id]);
    expect(rows).toHaveLength(1);
    expect(await shown()).toHaveLength(1);
  });

  it('may exceed the precision of a double, and lose no digit', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const name of ['a', 'b']) await checkpoint((await pod(name)).uid, '10:00:00');
    await age(service, org);
    await service.db.query('update operation_facts set physical_bytes = $2, duration_ns = $2 where org_id = $1', [
      org.id,
      most,
    ]);
    const { text } = await org.viewer.get(`${SAVINGS}/summary`);
    expect(text).toContain(`"total_checkpoint_storage_bytes":${2n * BigInt(most)}`);
    expect(text).toContain(`"total_checkpoint_overhead_ns":${2n * BigInt(most)}`);
    expect((await estimate('?hourly_rate=1')).status).toBe(200);
  });
});

describe('an estimate', () => {
  it.each([
    ['a missing rate', '', 'is required'],
    ['an empty rate', '?hourly_rate=', 'is required'],
    ['a negative rate', '?hourly_rate=-0.1', 'must be at least 0'],
    ['a rate that is too large', '?hourly_rate=1000000.5', 'must be at most 1000000'],
    ['a rate beyond a double', '?hourly_rate=1e999', 'must be a number'],
    ['a rate that is not a number', '?hourly_rate=much', 'must be a number'],
    ['a hexadecimal rate', '?hourly_rate=0x10', 'must be a number'],
    ['infinity', '?hourly_rate=Infinity', 'must be a number'],
    ['two rates', '?hourly_rate=1&hourly_rate=2', 'must be a number'],
  ])('refuses an estimate with %s', async (_what, query, message) => {
    const { status, body } = await estimate(query);
    expect([status, body.code, body.errors]).toEqual([400, 'validation_failed', [{ field: 'hourly_rate', message }]]);
  });

  it.each([
    ['0', 0],
    ['2.50', 2.5],
    ['1e-3', 0.001],
    ['1000000', 1_000_000],
  ])('estimates savings at the hourly rate %s', async (rate, read) => {
    expect((await estimate(`?hourly_rate=${rate}`)).body).toMatchObject({ hourly_rate: read });
  });
});
