import type { Schemas } from '../api/service';
import { age, NONE, text } from '../output/figures';
import { state } from '../output/tones';
import { CLUSTER, match } from './filters';
import { factsOf, kind, type Column } from './kind';

const MS_PER_SECOND = 1_000;

const JOB_COLUMNS: readonly Column<Schemas['SlurmJobView']>[] = [
  { head: 'JOB', cell: ({ job_id }) => String(job_id) },
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'PARTITION', cell: ({ partition }) => text(partition) },
  { head: 'NODES', cell: ({ nodes }) => text(nodes) },
  { head: 'STARTED', cell: ({ start_time }, now) => age(start_time * MS_PER_SECOND, now), passing: true },
  { head: 'SUBMITTED', cell: ({ submit_time }, now) => age(submit_time * MS_PER_SECOND, now), passing: true },
  { head: 'EXIT', cell: ({ exit_code }) => text(exit_code), wide: true },
  { head: 'CPUS', cell: ({ num_cpus }) => text(num_cpus), wide: true },
  { head: 'ACCOUNT', cell: ({ account }) => text(account), wide: true },
  { head: 'CLUSTER', cell: ({ cluster_id }) => cluster_id, wide: true },
];

const jobs = kind({
  name: 'slurm-job',
  plural: 'slurm-jobs',
  aliases: ['sj'],
  about: 'jobs of Slurm, newest first',
  operation: 'list_slurm_jobs',
  path: '/v1/slurm/jobs',
  filters: [CLUSTER, { flags: '--jobs <numbers>', parameter: 'job_ids', about: 'these, separated by commas' }],
  byId: 'job_ids',
  idForm: /^\d+$/,
  columns: JOB_COLUMNS,
  id: ({ job_id }) => String(job_id),
  // Each cluster counts its jobs.
  key: ({ cluster_id, job_id }) => `${cluster_id}/${job_id}`,
  label: ({ name }) => name,
  details: async (service, row, now) => {
    const query = { job_id: String(row.job_id), cluster_id: row.cluster_id };
    const checkpoints = await service.send('list_slurm_checkpoints', (api) =>
      api.GET('/v1/slurm/checkpoints', { params: { query } }),
    );
    return {
      facts: [
        ...factsOf(JOB_COLUMNS, row, now),
        ['reason of its end', text(row.derived_es)],
        ['failed node', text(row.failed_node)],
        ['directory', text(row.work_dir)],
      ],
      sections: [
        {
          title: 'Checkpoints',
          head: ['ID', 'NAME', 'STATUS', 'AGE'],
          rows: checkpoints.map(({ id, name, status, created_at }) => [
            id,
            text(name),
            state(status),
            age(created_at, now),
          ]),
        },
      ],
      document: { job: row, checkpoints },
    };
  },
});

const nodes = kind({
  name: 'slurm-node',
  plural: 'slurm-nodes',
  about: 'nodes of Slurm, as last synchronised',
  operation: 'list_slurm_inventory_nodes',
  path: '/v1/slurm/nodes',
  filters: [
    CLUSTER,
    match('name'),
    { flags: '--partition <name>', parameter: 'partition', about: 'of this partition' },
    { flags: '--status <status>', parameter: 'status', about: 'in this state, or with this flag' },
  ],
  byName: 'name',
  columns: [
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'STATUS', cell: ({ status }) => state(status) },
    { head: 'CPUS', cell: ({ alloc_cpus, cpus }) => `${text(alloc_cpus)}/${text(cpus)}` },
    { head: 'MEMORY MIB', cell: ({ alloc_memory, memory }) => `${text(alloc_memory)}/${text(memory)}` },
    { head: 'LOAD', cell: ({ load }) => text(load) },
    { head: 'PARTITIONS', cell: ({ partitions }) => partitions?.join(',') ?? NONE },
    { head: 'REASON', cell: ({ reason }) => text(reason) },
    { head: 'CLUSTER', cell: ({ cluster_id }) => cluster_id, wide: true },
    { head: 'ID', cell: ({ id }) => id, wide: true },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
});

const partitions = kind({
  name: 'partition',
  plural: 'partitions',
  about: 'partitions of Slurm, as last synchronised',
  operation: 'list_slurm_inventory_partitions',
  path: '/v1/slurm/partitions',
  filters: [CLUSTER, match('name')],
  byName: 'name',
  columns: [
    { head: 'NAME', cell: ({ name, is_default }) => (is_default ? `${name}*` : name) },
    { head: 'STATE', cell: (partition) => state(partition.state) },
    { head: 'NODES', cell: ({ nodes: of }) => text(of) },
    { head: 'COUNT', cell: ({ total_nodes }) => String(total_nodes) },
    { head: 'CPUS', cell: ({ total_cpus }) => String(total_cpus) },
    { head: 'MAX MINUTES', cell: ({ max_time }) => (max_time < 0 ? NONE : String(max_time)) },
    { head: 'CLUSTER', cell: ({ cluster_id }) => cluster_id, wide: true },
    { head: 'ID', cell: ({ id }) => id, wide: true },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
});

const windows = kind({
  name: 'window',
  plural: 'windows',
  about: 'maintenance windows, by start',
  operation: 'list_maintenance_windows',
  path: '/v1/slurm/maintenance_window',
  filters: [
    CLUSTER,
    {
      flags: '--status <status>',
      parameter: 'status',
      about: 'in this state',
      choices: ['scheduled', 'active', 'completed', 'cancelled', 'ended'],
    },
    { flags: '--ends-after <time>', parameter: 'ends_after', about: 'that end after this time', reads: 'time' },
    { flags: '--starts-before <time>', parameter: 'starts_before', about: 'that start before it', reads: 'time' },
  ],
  columns: [
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'STATUS', cell: ({ status }) => state(status) },
    { head: 'START', cell: ({ start_time }) => text(start_time) },
    { head: 'END', cell: ({ end_time }) => text(end_time) },
    { head: 'NODES', cell: ({ nodes: of }) => (of?.length ? of.join(',') : NONE) },
    { head: 'PARTITIONS', cell: ({ partitions: of }) => (of?.length ? of.join(',') : NONE), wide: true },
    { head: 'REASON', cell: ({ reason }) => text(reason) },
    { head: 'ID', cell: ({ id }) => text(id), wide: true },
  ],
  id: ({ id }) => id ?? '',
  label: ({ name }) => name,
});

export const SLURM = [jobs, nodes, partitions, windows];
