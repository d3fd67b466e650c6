import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import { describeWithSamples, sample, sampleLines } from '../../../support/samples';

const NS_PER_US = 1_000;
const PAGE = 4_096;

/**
 * From a synced pod through its checkpoint to the restored pod that serves, with real input and figures
 * calculated by hand.
 */
describeWithSamples('the whole loop', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  it('follows a workload from the sync of its pod to the Ready condition of the restored one', async () => {
    const { operator, controller, viewer } = org;
    const clusterId = (await operator.post('/v1/cluster', { cluster_name: 'eu-gpu-1' })).text;

    // The inventory, as kubectl and the API server print it.
    const node = sample('k8s/node-hollow-empty-bootid.json');
    const pods = sample('k8s/list-pods-api-local.json').items;
    const job = sample('k8s/job-running.json');
    const resources = [
      ...pods.map((pod: object) => ({ ...pod, type: 'Pod' })),
      { ...node, type: 'Node' },
      { ...job, type: 'Job' },
    ];
    const batch = await controller.post('/v1/cluster/sync/batch', { cluster_id: clusterId, resources });
    expect(batch.body).toEqual({ synced: 6, failed: [] });

    // A checkpoint of the training pod is requested, and the controller can learn of it.
    const trainer = sample('k8s/pod-gpu-job-running.json');
    const actionId = (await operator.post('/v1/checkpoint/pod', { pod_id: trainer.metadata.uid })).text;
    const events = await service.db.query(
      "select payload from outbox_events where event_type = 'action.checkpoint_requested'",
    );
    expect(events.rows).toEqual([
      {
        payload: expect.objectContaining({ action_id: actionId, cluster_id: clusterId, pod_uid: trainer.metadata.uid }),
      },
    ]);
    expect((await viewer.get(`/v1/checkpoint/status/${actionId}`)).body).toEqual({
      status: 'initialized',
      details: null,
    });

    // Its node takes it up, and reports CRIU's measurements.
    const checkpointId = (
      await controller.post('/v1/checkpoints', { action_id: actionId, name: 'finetune', container_name: 'trainer' })
    ).text;
    expect((await viewer.get(`/v1/checkpoint/status/${actionId}`)).body.status).toBe('processing');
    const measured = sampleLines('criu-stats.jsonl')[2];
    const info = { criu: { magic: 'STATS', entries: [{ dump: measured.dump }] }, storage_tier: 'shared' };
    await controller.put(`/v1/checkpoints/info/${checkpointId}`, { gpu: 'NVIDIA H100', platform: 'linux/amd64', info });
    expect((await viewer.get(`/v1/checkpoint/status/${actionId}`)).body.status).toBe('checkpoint_created');
    expect((await viewer.get(`/v1/operations/${checkpointId}`)).body.result).toBe('running');
    await controller.post(`/v1/checkpoints/uploaded/${checkpointId}`, { restore_path: '/checkpoints/finetune/1' });
    expect((await viewer.get(`/v1/checkpoint/status/${actionId}`)).body).toEqual({ status: 'ready', details: null });
    expect((await viewer.get('/v1/checkpoint/path?name=finetune')).text).toBe('/checkpoints/finetune/1');

    // crit show: freezing 62 us, frozen 122,635 us, 66,244 pages written.
    expect(measured.dump).toMatchObject({
      freezing_time: 62,
      frozen_time: 122_635,
      pages_written: 66_244,
      memdump_time: 99_245,
      memwrite_time: 67_800,
    });
    const fact = (await viewer.get(`/v1/operations/${checkpointId}`)).body;
    expect(fact).toMatchObject({
      op_type: 'checkpoint',
      result: 'succeeded',
      source: 'criu',
      action_id: actionId,
      cluster_id: clusterId,
      name: 'finetune-lk5hs',
      namespace: 'training',
      node_name: 'gpu-node-1',
      pod_uid: trainer.metadata.uid,
      kind: 'simple',
      reason: 'manual',
      gpu_model: 'NVIDIA H100',
      storage_tier: 'shared',
      workload_type: 'kubernetes',
      duration_ns: (62 + 122_635) * NS_PER_US,
      pause_ns: 122_635 * NS_PER_US,
      physical_bytes: 66_244 * PAGE,
      logical_bytes: 66_244 * PAGE,
      restores: [],
    });
    expect(
      fact.stages.map(({ stage, duration_ns }: { stage: string; duration_ns: number }) => [stage, duration_ns]),
    ).toEqual([
      ['freeze', 62_000],
      ['frozen', 122_635_000],
      ['memdump', 99_245_000],
      ['memwrite', 67_800_000],
    ]);

    // The node disappears; the pod is restored elsewhere from the stored copy.
    const restoreActionId = (await operator.post('/v1/restore/pod', { action_id: actionId, reason: 'nodeTermination' }))
      .text;
    const details = (await viewer.get(`/v1/actions/${restoreActionId}`)).body;
    expect(details).toMatchObject({
      type: 'restore_pod',
      status: 'initialized',
      checkpoint_id: checkpointId,
      pod_spec: trainer.spec,
    });

    // What snapshot agents published of Qwen3 8B: 80 ms set-up,
    // 4,733 ms CRIU, 2,795 ms CUDA, 450 ms wake and remap.
    const published = sample('profiling/checkpoint-restore-stages.json').dynamo_snapshot.rows[1];
    expect(published).toMatchObject({
      model: 'Qwen3 8B',
      agent_setup: 0.08,
      criu_restore: 4.733,
      cuda_restore: 2.795,
      wake_remap: 0.45,
    });
    const ns = (seconds: number) => Math.round(seconds * 1e9);
    const profile = {
      name: 'restore',
      duration: ns(published.total),
      io: 0,
      components: [
        { name: 'agent_setup', duration: ns(published.agent_setup), io: 0 },
        { name: 'criu_restore', duration: ns(published.criu_restore), io: 66_244 * PAGE },
        {
          name: 'cuda_restore',
          duration: ns(published.cuda_restore),
          io: 0,
          components: [{ name: 'unlock', duration: ns(0.2), io: 0 }],
        },
        { name: 'prefetch', duration: ns(4), io: 0, parallel: true },
        { name: 'wake_remap', duration: ns(published.wake_remap), io: 0 },
      ],
    };
    const restoreUuid = newId();
    const restoredUid = newId();
    const metadata = {
      pod_uid: restoredUid,
      pod_name: 'finetune-restored',
      namespace: 'training',
      node_name: 'gpu-node-1',
    };
    const base = {
      restore_uuid: restoreUuid,
      action_id: restoreActionId,
      checkpoint_action_id: actionId,
      cluster_id: clusterId,
      workload_type: 'pod',
      metadata,
    };
    const started = service.clock.now();
    const ended = new Date(started.getTime() + 8_100);
    await controller.post('/v1/restores/events/restore_start', { ...base, started_at: started.toISOString() });
    expect((await viewer.get(`/v1/actions/${restoreActionId}`)).body.status).toBe('processing');
    const success = { ...base, completed_at: ended.toISOString(), runtime_metadata: { profile } };
    expect((await controller.post('/v1/restores/events/restore_success', success)).body).toEqual({
      restore_uuid: restoreUuid,
      status: 'succeeded',
    });
    expect((await viewer.get(`/v1/actions/${restoreActionId}`)).body.status).toBe('ready');
    expect((await viewer.get(`/v1/operations/${restoreUuid}`)).body).toMatchObject({
      result: 'succeeded',
      pod_ready_at_ms: null,
    });

    // It serves once its pod is Ready, which the next sync reports.
    const restored = structuredClone(trainer);
    Object.assign(restored.metadata, { uid: restoredUid, name: 'finetune-restored', resourceVersion: '900' });
    const at = (offsetMs: number) => new Date(started.getTime() + offsetMs).toISOString().replace(/\.\d+Z$/, 'Z');
    for (const condition of restored.status.conditions)
      condition.lastTransitionTime = at(condition.type === 'PodScheduled' ? 0 : 12_000);
    await controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource: { ...restored, type: 'Pod' } });

    const restoreFact = (await viewer.get(`/v1/operations/${restoreUuid}`)).body;
    expect(restoreFact).toMatchObject({
      op_type: 'restore',
      result: 'succeeded',
      source: 'profile',
      checkpoint_id: checkpointId,
      action_id: restoreActionId,
      name: 'finetune-restored',
      reason: 'nodeTermination',
      // 80 + 4,733 + 2,795 + 450 ms: parallel stages do not count.
      duration_ns: 8_058_000_000,
      physical_bytes: 66_244 * PAGE,
      pod_scheduled_at_ms: Date.parse(at(0)),
      pod_ready_at_ms: Date.parse(at(12_000)),
    });
    expect(restoreFact.stages.map(({ stage }: { stage: string }) => stage)).toEqual([
      'agent_setup',
      'criu_restore',
      'cuda_restore',
      'unlock',
      'prefetch',
      'wake_remap',
    ]);
    expect((await viewer.get(`/v1/operations/${checkpointId}`)).body.restores).toEqual([
      expect.objectContaining({ operation_id: restoreUuid }),
    ]);

    const summary = (await viewer.get('/v1/metrics/operations/summary')).body;
    expect(summary).toMatchObject({
      attempts: 2,
      succeeded: 2,
      failed: 0,
      fallbacks: 0,
      window_seconds: 604_800,
      step_seconds: 3_600,
    });
    expect(summary.operations).toEqual([
      expect.objectContaining({
        operation: 'checkpoint',
        p50_ns: 122_697_000,
        p95_ns: 122_697_000,
        pause_p50_ns: 122_635_000,
        bytes_total: 66_244 * PAGE,
      }),
      expect.objectContaining({
        operation: 'restore',
        p50_ns: 8_058_000_000,
        to_ready_count: 1,
        to_ready_p50_ns: 12_000_000_000,
      }),
    ]);
    expect(summary.stages).toContainEqual({
      operation: 'restore',
      stage: 'cuda_restore',
      count: 1,
      p50_ns: 2_795_000_000,
      p95_ns: 2_795_000_000,
      total_ns: 2_795_000_000,
    });
    expect(summary.tiers).toContainEqual(
      expect.objectContaining({ operation: 'checkpoint', storage_tier: 'shared', succeeded: 1 }),
    );

    const text = (await viewer.get('/v1/metrics/export')).text;
    expect(text).toContain('checkpoint_operations_total{operation="checkpoint",result="succeeded"} 1\n');
    // 0.122697 s falls into the bucket of 0.25 s, 271 MB into the one of 1 GiB.
    expect(text).toContain('checkpoint_operation_duration_seconds_bucket{operation="checkpoint",le="0.1"} 0\n');
    expect(text).toContain('checkpoint_operation_duration_seconds_bucket{operation="checkpoint",le="0.25"} 1\n');
    expect(text).toContain('checkpoint_operation_duration_seconds_sum{operation="checkpoint"} 0.122697\n');
    expect(text).toContain('checkpoint_artifact_size_bytes_bucket{le="268435456"} 0\n');
    expect(text).toContain('checkpoint_artifact_size_bytes_bucket{le="1073741824"} 1\n');
    expect(text).toContain(
      'checkpoint_operation_stage_duration_seconds_sum{operation="restore",stage="criu_restore"} 4.733\n',
    );
  });
});
