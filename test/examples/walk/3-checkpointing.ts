import { newId } from '../../../src/1-platform/common/ids';
import { put } from '../../support/plugins';
import type { Walk } from './walk';

export async function checkpointing(walk: Walk): Promise<void> {
  await checkpoints(walk);
  await restores(walk);
  await slurmCheckpoints(walk);
  await policies(walk);
  await files(walk);
}

async function files({ recorder, service, org }: Walk): Promise<void> {
  const { viewer, controller: as } = org;
  const path = ['checkpoints/01932c00-0000-7000-8000-000000000001/manifest.json'];
  const { text } = await recorder.expect(200, 'create_file_url', { as, path });
  await put(text, Buffer.from('{}'));
  await recorder.expect(200, 'get_file_url', { as, path });
  await recorder.expect(200, 'list_directory', { as: viewer, path: ['checkpoints'] });
  const small = await service.replica({ objectMaxBytes: 1 });
  await recorder.expect(413, 'get_file_url', { as: small.as(as.token), path });
  await recorder.expect(204, 'delete_file', { as, path });
  for (const id of ['get_file_url', 'create_file_url', 'delete_file', 'list_directory'])
    await recorder.expect(400, id, { as, path: ['../other'] });
}

async function checkpoints({ recorder, service, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const action = (await recorder.expect(200, 'checkpoint_pod', { as: operator, with: { pod_id: ids.pod } })).text;
  const uploaded = { action_id: action, status: 'processing', pod_id: ids.pod };
  await recorder.expect(200, 'upload_action_pod', { as: controller, body: uploaded });
  const of = { action_id: action, name: 'train', container_name: 'main' };
  const checkpoint = (await recorder.expect(200, 'create_checkpoint', { as: controller, body: of })).text;
  await recorder.expect(204, 'report_checkpoint_progress', { as: controller, path: [checkpoint] });
  await recorder.expect(200, 'get_checkpoint_status', { as: viewer, path: [action] });
  await recorder.expect(200, 'put_checkpoint_info', { as: controller, path: [checkpoint] });
  const path = { restore_path: 's3://checkpoints/train/1' };
  await recorder.expect(200, 'report_checkpoint_uploaded', { as: controller, path: [checkpoint], body: path });
  await recorder.expect(409, 'report_checkpoint_uploaded', {
    as: controller,
    path: [checkpoint],
    body: { restore_path: 's3://other' },
  });
  await recorder.expect(200, 'get_checkpoint_path', { as: viewer, query: { name: 'train' } });
  await recorder.call('get_checkpoint_path', { as: viewer, query: { name: 'unknown' } });
  await recorder.expect(200, 'list_checkpoints', { as: viewer });
  await recorder.expect(200, 'list_actions', { as: viewer });
  await recorder.expect(200, 'get_action', { as: viewer, path: [action] });
  await recorder.expect(200, 'get_newest_pod_action', { as: viewer, path: [ids.pod ?? ''] });
  await recorder.expect(200, 'get_operation', { as: viewer, path: [checkpoint] });
  await recorder.expect(200, 'list_operations', { as: viewer });
  await recorder.expect(400, 'list_operations', { as: viewer, query: { result: 'lost' } });
  await recorder.call('put_checkpoint_info', {
    as: controller,
    path: [checkpoint],
    with: { info: undefined, error: 'dump failed' },
  });
  await recorder.call('report_checkpoint_progress', { as: controller, path: [checkpoint] });
  Object.assign(ids, { action, checkpoint });
  const second = (await operator.post('/v1/checkpoint/pod', { pod_id: ids.pod })).text;
  await recorder.expect(409, 'restore_pod', { as: operator, with: { action_id: second } });
  const other = (await controller.post('/v1/checkpoints', { action_id: second, container_name: 'main' })).text;
  await recorder.call('report_checkpoint_uploaded', { as: controller, path: [other], body: {} });
  await recorder.call('restore_pod', { as: operator, with: { action_id: second } });
  await recorder.expect(200, 'deprecate_checkpoint', { as: operator, path: [other] });
  await recorder.expect(204, 'confirm_checkpoint_removal', { as: controller, path: [other] });
  await recorder.expect(409, 'confirm_checkpoint_removal', { as: controller, path: [checkpoint] });
  // As if its cluster had been deleted: what another cluster leaves in reports would be in their examples.
  await service.db.query(
    'insert into forgotten_checkpoints (org_id, id, cluster_id, restore_path) values ($1, $2, $3, $4)',
    [org.id, newId(), newId(), 's3://checkpoints/former/1'],
  );
  await recorder.expect(200, 'list_forgotten_checkpoints', { as: viewer });
}

async function restores({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const { action: action_id, checkpoint: checkpoint_id } = ids;
  const restore = (await recorder.expect(200, 'restore_pod', { as: operator, with: { action_id } })).text;
  await recorder.expect(409, 'create_checkpoint', {
    as: controller,
    body: { action_id: restore, container_name: 'main' },
  });
  const event = {
    restore_uuid: newId(),
    checkpoint_id,
    started_at: recorder.ago(60),
    metadata: { pod_uid: ids.podUid, node_name: 'gpu-node-1' },
  };
  await recorder.expect(200, 'record_restore_start', { as: controller, body: event });
  await recorder.expect(200, 'record_restore_success', {
    as: controller,
    body: { ...event, completed_at: recorder.ago(56) },
  });
  const failed = { ...event, restore_uuid: newId(), error_message: 'CUDA restore: out of memory' };
  await recorder.expect(200, 'record_restore_error', { as: controller, body: failed });
  const stages = {
    name: 'restore',
    duration: 3_506_000_000,
    components: [{ name: 'criu restore', duration: 2_359_000_000 }],
  };
  await recorder.expect(200, 'put_restore_profile', { as: controller, path: [event.restore_uuid], body: stages });
  const listed = await recorder.expect(200, 'list_restores', {
    as: viewer,
    query: { restore_uuid: event.restore_uuid },
  });
  await recorder.expect(200, 'get_restore', { as: viewer, path: [(listed.body as { id: string }[])[0]?.id ?? ''] });
}

async function slurmCheckpoints({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  const ask = { cluster_id: ids.slurm, job_id: '4711' };
  const action = (await recorder.expect(200, 'checkpoint_slurm_job', { as: operator, with: ask })).text;
  const of = { action_id: action, name: 'llm-eval' };
  const checkpoint = (await recorder.expect(200, 'create_slurm_checkpoint', { as: controller, body: of })).text;
  const info = {
    gpu: 'NVIDIA H100',
    platform: 'linux/amd64',
    info: { name: 'checkpoint', duration: 3_506_000_000, io: 0, components: [] },
  };
  await recorder.expect(200, 'put_slurm_checkpoint_info', { as: controller, path: [checkpoint], body: info });
  const path = { restore_path: '/scratch/checkpoints/4711' };
  await recorder.expect(200, 'report_slurm_checkpoint_uploaded', { as: controller, path: [checkpoint], body: path });
  await recorder.call('report_slurm_checkpoint_uploaded', {
    as: controller,
    path: [checkpoint],
    body: { restore_path: '/other' },
  });
  await recorder.call('put_slurm_checkpoint_info', {
    as: controller,
    path: [checkpoint],
    body: { ...info, info: undefined, error: 'dump failed' },
  });
  await recorder.expect(200, 'list_slurm_checkpoints', { as: viewer });
  await recorder.expect(200, 'get_slurm_checkpoint_path', { as: viewer, query: { name: 'llm-eval' } });
  await recorder.call('get_slurm_checkpoint_path', { as: viewer, query: { name: 'unknown' } });
  const restore = (await recorder.expect(200, 'restore_slurm_job', { as: operator, with: { action_id: action } })).text;
  await recorder.expect(409, 'create_slurm_checkpoint', { as: controller, body: { action_id: restore } });
  await recorder.expect(200, 'deprecate_slurm_checkpoint', { as: operator, path: [checkpoint] });
  await recorder.call('restore_slurm_job', { as: operator, with: { action_id: action } });
}

async function policies({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator } = org;
  const pipeline = (filter: object) => ({
    trigger: { type: 'heartbeat', config: { interval_seconds: 86_400, max_checkpoints: 24 } },
    filter,
    action: { type: 'checkpoint', config: { kind: 'simple' } },
  });
  const ofPods = { type: 'pods', config: { cluster_id: ids.cluster, pod_ids: [ids.pod] } };
  const ofJobs = { type: 'jobs', config: { cluster_id: ids.cluster, namespace: 'training', priority: null } };
  const create = (name: string, filter: object) =>
    recorder.expect(200, 'create_pipeline_policy', {
      as: operator,
      body: { name, pipeline: pipeline(filter), keep_last: 7 },
    });
  await recorder.expect(200, 'preview_pipeline_policy', {
    as: viewer,
    body: { pipeline: pipeline(ofJobs), keep_last: 7 },
  });
  const policy = (await create('training, daily', ofPods)).text;
  const jobs = (await create('jobs, daily', ofJobs)).text;
  await recorder.expect(200, 'sync_job_policies', { as: operator });
  for (const id of ['list_pipeline_policies', 'list_policies']) await recorder.expect(200, id, { as: viewer });
  for (const id of ['get_pipeline_policy', 'get_policy_activity', 'get_policy_job_status', 'list_policy_pods'])
    await recorder.expect(200, id, { as: viewer, path: [policy] });
  await recorder.expect(200, 'get_policy_schedule', { as: viewer, query: { policy_id: jobs } });
  await recorder.expect(200, 'list_policy_jobs', { as: viewer, path: [jobs] });
  await recorder.call('list_policy_jobs', { as: viewer, path: [policy] });
  await recorder.expect(200, 'update_pipeline_policy', { as: operator, path: [jobs], body: { paused: true } });
  await recorder.expect(200, 'delete_policy', { as: operator, body: { id: jobs } });
}
