import type { Schemas } from '../../api/client';
import type { Tone } from '../../parts/status';
import { interval } from '../../parts/time/interval';
import { plural } from '../../parts/units';

export type Policy = Schemas['PipelinePolicyView'];
export type Trigger = NonNullable<Policy['pipeline']>['trigger'];
export type Filter = NonNullable<Policy['pipeline']>['filter'];

/** `completed` is a status of automatic restores only. */
export const STATUSES = ['active', 'paused', 'disabled', 'completed'] as const;
export const RESOURCES = ['namespace', 'pods', 'jobs', 'slurm_jobs'] as const;
export type Resource = (typeof RESOURCES)[number];

export const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  namespace: 'Namespace',
  pods: 'Pods',
  jobs: 'Jobs',
  slurm_jobs: 'Slurm jobs',
};

export const STATUS_TONES: Readonly<Record<string, Tone>> = { active: 'good', disabled: 'quiet', completed: 'good' };

export const nameOf = ({ name, trigger }: { name: string | null; trigger: string }): string =>
  name ?? `Unnamed ${trigger}`;

export const every = (seconds: number): string => `every ${interval(seconds)}`;

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** `Mon 23 Nov, 14:00`, by the clock of the user. */
export const moment = (at: string | number): string => {
  const date = new Date(at);
  return `${DAY.format(date)}, ${TIME.format(date)}`;
};

export function triggerWords(trigger: Trigger): string {
  if (trigger.type === 'heartbeat') {
    const { interval_seconds: seconds, max_checkpoints: most } = trigger.config;
    return most == null
      ? every(seconds)
      : `${every(seconds)}, until ${plural(most, 'checkpoint is', 'checkpoints are')} ready`;
  }
  return `${moment(trigger.config.start_time)} to ${moment(trigger.config.end_time)}`;
}

export function filterWords(filter: Filter): string {
  switch (filter.type) {
    case 'namespace':
      return `namespace ${filter.config.namespace}`;
    case 'pods':
      return plural(filter.config.pod_ids?.length ?? 0, 'named pod');
    case 'jobs': {
      const { namespace, priority } = filter.config;
      const parts = [namespace == null ? 'all jobs' : `jobs in ${namespace}`];
      if (priority != null) parts.push(`of priority ${priority}`);
      return parts.join(' ');
    }
    case 'slurm_jobs': {
      const numbers = filter.config.job_ids ?? [];
      return numbers.length > 3 ? plural(numbers.length, 'Slurm job') : `Slurm job ${numbers.join(', ')}`;
    }
  }
}

/** What a beat would do now, by what the filter is for: without a match, the numbers do not tell. */
export const planWords = (
  { workload_count: workloads, job_count: jobs }: Pick<Schemas['PolicyPreviewView'], 'workload_count' | 'job_count'>,
  resource: Resource,
): string =>
  resource === 'slurm_jobs'
    ? `${plural(workloads, 'running job')} of ${plural(jobs, 'matching job')} would be checkpointed.`
    : `${plural(workloads, 'running pod')} would be checkpointed${jobs > 0 ? `, of ${plural(jobs, 'job')}` : ''}.`;

/** What runs now and matches. */
export const matchWords = ({ pod_count: pods, job_count: jobs, pipeline }: Policy): string =>
  pipeline?.filter.type === 'slurm_jobs'
    ? plural(jobs ?? 0, 'job')
    : jobs === null
      ? plural(pods, 'running pod')
      : `${plural(pods, 'running pod')} of ${plural(jobs, 'job')}`;
