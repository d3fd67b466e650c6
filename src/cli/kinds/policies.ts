import type { Schemas } from '../api/service';
import { age, bytes, duration, NONE, text } from '../output/figures';
import { state } from '../output/tones';
import { match } from './filters';
import { factsOf, kind, type Column } from './kind';

const LARGEST_PAGE = 100;
const NS_PER_MS = 1e6;

const COLUMNS: readonly Column<Schemas['PolicyView']>[] = [
  { head: 'POLICY', cell: ({ id }) => id },
  { head: 'STATUS', cell: ({ status, paused }) => state(paused ? 'paused' : status) },
  { head: 'TYPE', cell: ({ policy_type }) => policy_type },
  { head: 'EVERY', cell: ({ policy_type, input }) => (policy_type === 'heartbeat' ? `${input}s` : NONE) },
  { head: 'KEEPS', cell: ({ keep_last }) => (keep_last === null ? 'all' : String(keep_last)) },
  { head: 'ACTS ON', cell: ({ resource, job_count, pod_count }) => `${job_count ?? pod_count} of ${resource}` },
  { head: 'CLUSTER', cell: ({ cluster_name }) => text(cluster_name) },
  { head: 'NEXT', cell: ({ next_at }, now) => age(next_at, now), passing: true },
  { head: 'LAST', cell: ({ last_beat_at }, now) => age(last_beat_at, now), passing: true },
];

const policies = kind({
  name: 'policy',
  plural: 'policies',
  about: 'policies that request checkpoints, newest first',
  operation: 'list_policies',
  path: '/v1/policy/list',
  filters: [
    {
      flags: '--status <status>',
      parameter: 'status',
      about: 'active, paused or disabled',
      choices: ['active', 'paused', 'disabled'],
    },
    {
      flags: '--resource <resource>',
      parameter: 'resource',
      about: 'for these workloads',
      choices: ['namespace', 'pods', 'jobs', 'slurm_jobs'],
    },
    match('name'),
  ],
  byName: 'name',
  hidesNames: true,
  largestPage: LARGEST_PAGE,
  rows: ({ policies: rows }) => rows,
  continues: 'offset',
  columns: COLUMNS,
  id: ({ id }) => id,
  details: async (service, row, now) => {
    const path = { policy_id: row.id };
    const [whole, activity] = await Promise.all([
      service.send('get_pipeline_policy', (api) => api.GET('/v1/policy/pipeline/{policy_id}', { params: { path } })),
      service.send('get_policy_activity', (api) => api.GET('/v1/policy/{policy_id}/activity', { params: { path } })),
    ]);
    const { last_firing: fired } = whole;
    return {
      facts: [
        ['name', text(whole.name)],
        ...factsOf(COLUMNS, row, now),
        ['cluster is', state(whole.cluster_status)],
        ['filter', JSON.stringify(whole.pipeline?.filter.config ?? null)],
        ['trigger', JSON.stringify(whole.pipeline?.trigger.config ?? null)],
        ['last firing', fired ? `${fired.requested} requested, ${fired.ready} ready, ${fired.failed} failed` : NONE],
        [
          'checkpoints',
          `${activity.total_checkpoints} requested, ${activity.successful_checkpoints} ready, ${activity.failed_checkpoints} failed`,
        ],
      ],
      sections: [
        {
          title: 'Newest checkpoints',
          head: ['ACTION', 'WORKLOAD', 'STATUS', 'TOOK', 'BYTES', 'COMPLETED'],
          rows: activity.recent_checkpoints.map((one) => [
            one.action_id,
            `${text(one.namespace)}/${text(one.pod_name)}`,
            state(one.status),
            duration(one.duration_ms === null ? null : one.duration_ms * NS_PER_MS),
            bytes(one.size_bytes),
            age(one.completed_at, now),
          ]),
        },
      ],
      document: { policy: whole, activity },
    };
  },
});

export const POLICIES = [policies];
