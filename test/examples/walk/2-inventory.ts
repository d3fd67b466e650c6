import { buildJob, buildNode, buildPod, ownedBy } from '../../support/builders';
import type { Walk } from './walk';

const POD_UID = '1c2a4333-a69b-4d39-afae-a611877f407d';
const JOB_UID = '5e0c2f7a-94cf-4c8e-8a0a-d3a6b1c0f001';

export async function inventory(walk: Walk): Promise<void> {
  await kubernetes(walk);
  await slurm(walk);
  await hosts(walk);
}

async function kubernetes({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  ids.cluster = (await recorder.expect(200, 'save_cluster', { as: operator })).text;
  const metadata = { creationTimestamp: recorder.ago(7_200) };
  const node = buildNode('gpu-node-1', {
    metadata,
    status: { capacity: { cpu: '64', memory: '512Gi', 'nvidia.com/gpu': '8' } },
  });
  const job = buildJob('train', {
    metadata: { ...metadata, uid: JOB_UID, namespace: 'training' },
    status: { startTime: recorder.ago(3_600) },
  });
  const pod = buildPod('train-89nms', {
    metadata: { ...metadata, uid: POD_UID, namespace: 'training', ...ownedBy(job) },
    spec: { nodeName: 'gpu-node-1', priority: 100 },
    status: { startTime: recorder.ago(3_600) },
  });
  const resources = [node, job];
  await recorder.expect(200, 'sync_cluster_batch', { as: controller, body: { cluster_id: ids.cluster, resources } });
  ids.pod = (
    await recorder.expect(200, 'sync_cluster', { as: controller, body: { cluster_id: ids.cluster, resource: pod } })
  ).text;
  ids.podUid = POD_UID;
  for (const id of ['list_clusters', 'count_clusters', 'list_nodes', 'get_nodes_summary', 'count_nodes'])
    await recorder.expect(200, id, { as: viewer });
  for (const id of ['list_pods', 'count_pods', 'list_pod_namespaces', 'list_pod_statuses', 'list_pods_paginated'])
    await recorder.expect(200, id, { as: viewer });
  for (const id of [
    'count_jobs',
    'list_job_namespaces',
    'list_job_statuses',
    'list_jobs_paginated',
    'list_job_priorities',
    'filter_jobs',
  ])
    await recorder.expect(200, id, { as: viewer });
  const jobs = await recorder.expect(200, 'list_jobs', { as: viewer });
  ids.job = (jobs.body as { id: string }[])[0]?.id ?? '';
  await recorder.expect(200, 'list_jobs_by_priority', { as: viewer, path: ['100'] });
  await recorder.expect(200, 'list_job_pods', { as: viewer, path: [ids.job] });

  await recorder.expect(200, 'create_cluster_workload', {
    as: operator,
    with: { cluster_id: ids.cluster },
  });
  const workloads = await recorder.expect(200, 'list_workloads', { as: controller });
  const workload = (workloads.body as { id: string }[])[0]?.id ?? '';
  await recorder.expect(200, 'get_workload', { as: controller, path: [workload] });
  await recorder.expect(200, 'update_workload', { as: controller, path: [workload] });
  await recorder.expect(409, 'update_workload', { as: controller, path: [workload], body: { status: 'applied' } });

  const removed = (await operator.post('/v1/cluster', { cluster_name: 'to-remove' })).text;
  await recorder.expect(200, 'delete_cluster', { as: operator, path: [removed] });
}

async function slurm({ recorder, org, ids }: Walk): Promise<void> {
  const { viewer, operator, controller } = org;
  ids.slurm = (await operator.post('/v1/cluster', { cluster_name: 'hpc', kind: 'slurm' })).text;
  const of = { cluster_id: ids.slurm };
  const seconds = (ago: number): number => Date.parse(recorder.ago(ago)) / 1_000;
  const jobs = [
    {
      job_id: 4711,
      name: 'llm-eval',
      job_state: ['RUNNING'],
      nodes: 'n1',
      partition: 'gpu',
      submit_time: seconds(3_600),
      start_time: seconds(3_500),
    },
    {
      job_id: 4700,
      name: 'prepare',
      job_state: ['COMPLETED'],
      nodes: 'n1',
      partition: 'gpu',
      submit_time: seconds(9_000),
      start_time: seconds(8_900),
      end_time: seconds(7_200),
    },
  ];
  await recorder.expect(200, 'sync_slurm_jobs', { as: controller, body: { ...of, jobs } });
  await recorder.expect(200, 'sync_slurm_clusters', { as: controller, with: of });
  await recorder.expect(200, 'sync_slurm_nodes', { as: controller, with: of });
  await recorder.expect(200, 'sync_slurm_partitions', { as: controller, with: of });
  const windows = [{ name: 'firmware', start_time: seconds(-86_400), end_time: seconds(-90_000), node_list: 'n[1-3]' }];
  await recorder.expect(200, 'sync_maintenance_windows', {
    as: controller,
    body: { ...of, maintenance_windows: windows },
  });
  for (const id of ['list_slurm_jobs', 'list_slurm_jobs_paginated', 'list_slurm_events'])
    await recorder.expect(200, id, { as: viewer, query: { limit: '2' } });
  for (const kind of ['clusters', 'nodes', 'partitions'])
    for (const form of ['', '_paginated'])
      await recorder.expect(200, `list_slurm_inventory_${kind}${form}`, { as: viewer });
  const made = {
    start_time: recorder.ago(-172_800),
    end_time: recorder.ago(-180_000),
    reason: 'Firmware',
    nodes: ['n1'],
  };
  const window = (await recorder.expect(201, 'create_maintenance_window', { as: operator, body: made })).text;
  await recorder.expect(200, 'list_maintenance_windows', { as: viewer });
  await recorder.expect(200, 'get_maintenance_window', { as: viewer, path: [window] });
  await recorder.expect(200, 'update_maintenance_window', { as: operator, path: [window] });
  await recorder.expect(200, 'delete_maintenance_window', { as: operator, path: [window] });
}

async function hosts({ recorder, org }: Walk): Promise<void> {
  const { viewer, controller } = org;
  const checkpoint = '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10';
  await recorder.expect(200, 'put_host', { as: controller, path: ['host-1'] });
  await recorder.expect(200, 'put_legacy_job', { as: controller, path: ['train-1'] });
  await recorder.expect(200, 'put_legacy_job_checkpoint', { as: controller, path: [checkpoint] });
  for (const id of ['list_hosts', 'list_legacy_jobs', 'list_legacy_job_checkpoints'])
    await recorder.expect(200, id, { as: viewer });
  await recorder.expect(200, 'delete_legacy_job_checkpoint', { as: controller, path: [checkpoint] });
  await recorder.expect(200, 'delete_legacy_job', { as: controller, path: ['train-1'] });
  await recorder.expect(200, 'delete_host', { as: controller, path: ['host-1'] });
}
