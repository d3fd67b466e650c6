import type { Schemas } from '../api/service';
import { age, bytes, percent, text } from '../output/figures';
import { state } from '../output/tones';
import { CLUSTER, match, NAMESPACE, STATUS } from './filters';
import { factsOf, kind, type Column, type Section } from './kind';
import { ATTEMPT_HEAD, attemptRow, attemptsOf } from './attempts';

const CLUSTER_COLUMNS: readonly Column<Schemas['ClusterView']>[] = [
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'KIND', cell: ({ kind: of }) => text(of) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'LAST REPORT', cell: ({ last_sync }, now) => age(last_sync, now), passing: true },
  { head: 'ID', cell: ({ id }) => id },
];

const clusters = kind({
  name: 'cluster',
  plural: 'clusters',
  about: 'clusters that report to the service',
  operation: 'list_clusters',
  path: '/v1/cluster',
  filters: [
    { flags: '--kind <kind>', parameter: 'kind', about: 'kubernetes or slurm', choices: ['kubernetes', 'slurm'] },
  ],
  columns: CLUSTER_COLUMNS,
  id: ({ id }) => id,
  label: ({ name }) => name,
  details: async (service, row, now) => {
    const query = { cluster_id: row.id };
    const [nodes, attempts] = await Promise.all([
      service.send('list_nodes', (api) => api.GET('/v1/nodes', { params: { query } })),
      attemptsOf(service, query),
    ]);
    return {
      facts: factsOf(CLUSTER_COLUMNS, row, now),
      sections: [
        {
          title: 'Nodes',
          head: NODE_COLUMNS.map(({ head }) => head),
          rows: nodes.map((node) => NODE_COLUMNS.map(({ cell }) => cell(node, now))),
        },
        { title: 'Newest operations', head: ATTEMPT_HEAD, rows: attempts.map((fact) => attemptRow(fact, now)) },
      ],
      document: { cluster: row, nodes, operations: attempts },
    };
  },
});

const NODE_COLUMNS: readonly Column<Schemas['NodeView']>[] = [
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'CLUSTER', cell: ({ cluster_name }) => text(cluster_name) },
  { head: 'COMPUTE', cell: ({ compute_type }) => text(compute_type) },
  { head: 'INSTANCE TYPE', cell: ({ instance_type }) => text(instance_type) },
  { head: 'REGION', cell: ({ region }) => text(region), wide: true },
  { head: 'CAPACITY', cell: ({ capacity_type }) => text(capacity_type), wide: true },
  { head: 'ID', cell: ({ id }) => id, wide: true },
];

const nodes = kind({
  name: 'node',
  plural: 'nodes',
  aliases: ['no'],
  about: 'nodes of active clusters',
  operation: 'list_nodes',
  path: '/v1/nodes',
  filters: [
    CLUSTER,
    match('name'),
    { flags: '--compute <type>', parameter: 'compute_type', about: 'gpu or cpu', choices: ['gpu', 'cpu'] },
    { flags: '--status <statuses>', parameter: 'status', about: 'Ready, NotReady, Unknown; several with commas' },
  ],
  byId: 'id',
  byName: 'name',
  columns: NODE_COLUMNS,
  id: ({ id }) => id,
  label: ({ name }) => name,
  details: async (service, row, now) => {
    const query = { node_name: row.name };
    const [measured, pods] = await Promise.all([
      service.send('list_gpu_metrics', (api) => api.GET('/v1/metrics/gpu', { params: { query } })),
      service.send('list_pod_metrics', (api) => api.GET('/v1/metrics/pods', { params: { query } })),
    ]);
    // Newest first: the first sample of a pod is its last one.
    const newest = [...new Map([...pods].reverse().map((pod) => [pod.pod_uid, pod])).values()];
    return {
      facts: factsOf(NODE_COLUMNS, row, now),
      sections: [
        gpuSection(measured.flatMap(({ gpus }) => gpus)),
        {
          title: 'Measured pods',
          head: ['NAMESPACE', 'NAME', 'MEMORY', 'OWNER', 'MEASURED'],
          rows: newest.map((pod) => [
            text(pod.namespace),
            text(pod.pod_name),
            bytes(pod.memory_bytes),
            text(pod.owner_name),
            age(pod.timestamp, now),
          ]),
        },
      ],
      document: { node: row, gpus: measured.flatMap(({ gpus }) => gpus), pods: newest },
    };
  },
});

const gpuSection = (gpus: readonly Schemas['GpuMetricView'][]): Section => ({
  title: 'GPUs',
  head: ['GPU', 'MODEL', 'USE', 'MEMORY', 'POD'],
  rows: gpus.map((gpu) => [
    text(gpu.gpu_index),
    text(gpu.model_name),
    percent(gpu.gpu_utilization),
    `${text(gpu.memory_used_mib)} MiB`,
    gpu.pod_name === null ? '-' : `${text(gpu.namespace)}/${gpu.pod_name}`,
  ]),
});

const POD_COLUMNS: readonly Column<Schemas['PodView']>[] = [
  { head: 'NAMESPACE', cell: ({ namespace }) => text(namespace) },
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'READY', cell: ({ ready }) => text(ready) },
  { head: 'STATUS', cell: ({ status, reason }) => state(reason ?? status) },
  { head: 'RESTARTS', cell: ({ restarts }) => String(restarts) },
  { head: 'AGE', cell: (pod) => text(pod.age), passing: true },
  { head: 'NODE', cell: ({ node }) => text(node) },
  { head: 'POLICIES', cell: (pod) => String(pod.monitored_by_policies.length), wide: true },
  { head: 'CLUSTER', cell: ({ cluster_id }) => cluster_id, wide: true },
  { head: 'ID', cell: ({ id }) => id, wide: true },
];

const pods = kind({
  name: 'pod',
  plural: 'pods',
  aliases: ['po'],
  about: 'live pods of active clusters, and workloads of plain machines',
  operation: 'list_pods_paginated',
  path: '/v1/pods/paginated',
  filters: [
    CLUSTER,
    NAMESPACE,
    STATUS,
    match('pod_name'),
    {
      flags: '--sort <column>',
      parameter: 'sort',
      about: 'by this column; default: name',
      choices: ['name', 'namespace', 'status', 'age', 'node', 'ready', 'restarts', 'start_time'],
    },
  ],
  byId: 'id',
  byName: 'pod_name',
  rows: ({ pods: rows }) => rows,
  continues: 'after',
  columns: POD_COLUMNS,
  id: ({ id }) => id,
  uid: ({ uid }) => uid,
  label: ({ name }) => name,
  namespace: ({ namespace }) => namespace,
  details: async (service, row, now) => {
    const path = { id: row.id };
    const actionId = await service.find('get_newest_pod_action', (api) =>
      api.GET('/v1/actions/from_pod/{id}', { params: { path }, parseAs: 'text' }),
    );
    const query = { cluster_id: row.cluster_id, namespace: row.namespace, name: row.name };
    const [action, attempts] = await Promise.all([
      actionId === undefined
        ? undefined
        : service.find('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path: { id: actionId } } })),
      attemptsOf(service, query),
    ]);
    // The filter finds parts of names.
    const own = attempts.filter(({ name }) => name === row.name);
    return {
      facts: [
        ...factsOf(POD_COLUMNS, row, now),
        ['phase', state(row.status)],
        ['last action', action === undefined ? '-' : `${action.type} ${action.action_id}`],
        ['its status', action === undefined ? '-' : state(action.status)],
        ...(action?.error ? [['why it failed', action.error] as const] : []),
      ],
      sections: [{ title: 'Newest operations', head: ATTEMPT_HEAD, rows: own.map((fact) => attemptRow(fact, now)) }],
      document: { pod: row, last_action: action ?? null, operations: own },
    };
  },
});

const JOB_COLUMNS: readonly Column<Schemas['JobView']>[] = [
  { head: 'NAMESPACE', cell: ({ namespace }) => text(namespace) },
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'COMPLETIONS', cell: ({ completions }) => text(completions) },
  { head: 'DURATION', cell: (job) => text(job.duration), passing: true },
  { head: 'AGE', cell: (job) => text(job.age), passing: true },
  { head: 'PRIORITY', cell: ({ priority }) => text(priority), wide: true },
  { head: 'PODS', cell: ({ pod_ids }) => String(pod_ids.length), wide: true },
  { head: 'CLUSTER', cell: ({ cluster_id }) => cluster_id, wide: true },
  { head: 'ID', cell: ({ id }) => id, wide: true },
];

const jobs = kind({
  name: 'job',
  plural: 'jobs',
  about: 'jobs of Kubernetes; those of Slurm are slurm-jobs',
  operation: 'list_jobs_paginated',
  path: '/v1/jobs/paginated',
  filters: [CLUSTER, NAMESPACE, STATUS, match('job_name')],
  byName: 'job_name',
  rows: ({ jobs: rows }) => rows,
  continues: 'after',
  columns: JOB_COLUMNS,
  id: ({ id }) => id,
  label: ({ name }) => name,
  namespace: ({ namespace }) => namespace,
  details: async (service, row, now) => {
    const path = { job_id: row.id };
    const found = await service.find('list_job_pods', (api) => api.GET('/v1/jobs/{job_id}/pods', { params: { path } }));
    return {
      facts: factsOf(JOB_COLUMNS, row, now),
      sections: [
        {
          title: 'Pods',
          head: ['NAMESPACE', 'NAME', 'STATUS', 'OWNER', 'ID'],
          rows: (found?.pods ?? []).map((pod) => [
            text(pod.namespace),
            text(pod.name),
            state(pod.status),
            text(pod.owner_reference),
            pod.id,
          ]),
        },
      ],
      document: { job: row, pods: found?.pods ?? [] },
    };
  },
});

export const INVENTORY = [clusters, nodes, pods, jobs];
