import type { Fault, ProblemError } from '../../../api/problem';
import type { CreateBody } from '../policies-queries';
import type { Filter, Resource, Trigger } from '../policy-words';

/** What the form holds, as people typed it. */
export interface FormValues {
  readonly name: string;
  readonly trigger: Trigger['type'];
  readonly interval: string;
  readonly unit: Unit;
  readonly most: string;
  readonly keep: string;
  /** By the clock of the user: `2026-11-24T20:00`. */
  readonly start: string;
  readonly end: string;
  readonly cluster: string | null;
  readonly resource: Resource;
  readonly namespace: string;
  readonly priority: string;
  readonly pods: readonly string[];
  /** Numbers, separated by spaces or commas. */
  readonly slurmJobs: string;
  readonly kind: Kind;
  readonly runcRoot: string;
}

export const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 } as const;
export type Unit = keyof typeof UNITS;

export const KINDS = ['simple', 'rootfs', 'rootfsonly'] as const;
export type Kind = (typeof KINDS)[number];

export const EMPTY: FormValues = {
  name: '',
  trigger: 'heartbeat',
  interval: '1',
  unit: 'hours',
  most: '',
  keep: '',
  start: '',
  end: '',
  cluster: null,
  resource: 'namespace',
  namespace: '',
  priority: '',
  pods: [],
  slurmJobs: '',
  kind: 'simple',
  runcRoot: '',
};

const TRIGGER = 'pipeline.trigger.config';
const FILTER = 'pipeline.filter.config';

/** Fields of the form, by the path of the member that they fill. */
export const PATHS = {
  name: 'name',
  interval: `${TRIGGER}.interval_seconds`,
  most: `${TRIGGER}.max_checkpoints`,
  keep: 'keep_last',
  start: `${TRIGGER}.start_time`,
  end: `${TRIGGER}.end_time`,
  cluster: `${FILTER}.cluster_id`,
  namespace: `${FILTER}.namespace`,
  priority: `${FILTER}.priority`,
  pods: `${FILTER}.pod_ids`,
  slurmJobs: `${FILTER}.job_ids`,
  kind: 'pipeline.action.config.kind',
  runcRoot: 'pipeline.action.config.runc_root',
} as const satisfies Partial<Record<keyof FormValues, string>>;
export type Field = keyof typeof PATHS;
export type Faults = Readonly<Partial<Record<Field, string>>>;

const SHORTEST_SECONDS = 10;

/** What is missing or cannot be right, as far as it can be said without asking the service. */
export function faultsOf(values: FormValues, now: number): Faults {
  const faults: Partial<Record<Field, string>> = {};
  if (values.cluster === null) faults.cluster = 'Choose a cluster.';
  if (values.trigger === 'heartbeat') {
    const seconds = secondsOf(values);
    if (seconds === undefined) faults.interval = 'Say how often.';
    else if (!Number.isInteger(seconds)) faults.interval = 'It must be a whole number of seconds.';
    else if (seconds < SHORTEST_SECONDS) faults.interval = `It must be at least ${SHORTEST_SECONDS} seconds.`;
    if (!isWhole(values.most, 1)) faults.most = 'It must be a whole number, at least 1.';
  } else {
    const [start, end] = [Date.parse(values.start), Date.parse(values.end)];
    if (Number.isNaN(start)) faults.start = 'Say when it begins.';
    if (Number.isNaN(end)) faults.end = 'Say when it ends.';
    else if (end <= start) faults.end = 'It must end after it begins.';
    else if (end <= now) faults.end = 'It must end in the future.';
  }
  if (!isKept(values.keep)) faults.keep = KEPT_FAULT;
  if (values.resource === 'namespace' && values.namespace.trim() === '') faults.namespace = 'Name a namespace.';
  if (values.resource === 'jobs' && !isWhole(values.priority)) faults.priority = 'It must be a whole number.';
  if (values.resource === 'pods' && values.pods.length === 0) faults.pods = 'Name at least one pod.';
  if (values.resource === 'slurm_jobs' && jobsOf(values).length === 0) faults.slurmJobs = 'Name at least one job.';
  return faults;
}

/** Most checkpoints of a workload that a policy may be limited to. */
export const MOST_KEPT = 1_000;
export const KEPT_FAULT = 'It must be a whole number from 1 to 1,000.';
export const isKept = (text: string): boolean => isWhole(text, 1) && Number(text) <= MOST_KEPT;

/** Or nothing. */
const isWhole = (text: string, least = -Infinity): boolean =>
  text === '' || (Number.isInteger(Number(text)) && Number(text) >= least);

function secondsOf({ interval, unit }: FormValues): number | undefined {
  const value = Number(interval);
  if (interval === '' || Number.isNaN(value)) return undefined;
  // As decimals are not exact: 0.1 minutes are 6 seconds.
  return Math.round(value * UNITS[unit] * 1_000) / 1_000;
}

export const someNumber = (value: string): number | null => (value === '' ? null : Number(value));
const jobsOf = ({ slurmJobs }: FormValues): string[] => slurmJobs.split(/[\s,]+/).filter((id) => id !== '');
const someText = (text: string): string | null => text.trim() || null;

/** The body of the request. The form has no faults. */
export function bodyOf(values: FormValues): CreateBody {
  return {
    name: someText(values.name),
    keep_last: someNumber(values.keep),
    pipeline: {
      trigger: triggerOf(values),
      filter: filterOf(values),
      action: { type: 'checkpoint', config: { kind: values.kind, runc_root: someText(values.runcRoot) } },
    },
  };
}

function triggerOf(values: FormValues): Trigger {
  if (values.trigger === 'heartbeat') {
    const config = { interval_seconds: secondsOf(values) ?? 0, max_checkpoints: someNumber(values.most) };
    return { type: 'heartbeat', config };
  }
  const utc = (local: string) => new Date(local).toISOString();
  return { type: 'maintenance', config: { start_time: utc(values.start), end_time: utc(values.end) } };
}

function filterOf(values: FormValues): Filter {
  const cluster_id = values.cluster ?? '';
  switch (values.resource) {
    case 'namespace':
      return { type: 'namespace', config: { cluster_id, namespace: values.namespace.trim() } };
    case 'pods':
      return { type: 'pods', config: { cluster_id, pod_ids: [...values.pods] } };
    case 'jobs':
      return {
        type: 'jobs',
        config: { cluster_id, namespace: someText(values.namespace), priority: someNumber(values.priority) },
      };
    case 'slurm_jobs':
      return { type: 'slurm_jobs', config: { cluster_id, job_ids: jobsOf(values) } };
  }
}

/** Problems that name no member, but are about one. */
const OF_CODE: Readonly<Record<string, Field>> = { cluster_not_found: 'cluster', pod_not_found: 'pods' };

/**
 * What the service refuses, by the field that it names.
 * @returns also what belongs to no field of this form
 */
export function refusedBy(
  { code, message, faults }: Pick<ProblemError, 'code' | 'message' | 'faults'>,
  values: FormValues,
): { faults: Faults; isElsewhere: boolean } {
  const field = OF_CODE[code];
  if (field !== undefined) return { faults: { [field]: message }, isElsewhere: false };
  const found: Partial<Record<Field, string>> = {};
  let isElsewhere = faults.length === 0;
  for (const fault of faults) {
    const [named, words] = fieldOf(fault, values) ?? [];
    if (named === undefined || words === undefined) isElsewhere = true;
    else found[named] ??= words;
  }
  return { faults: found, isElsewhere };
}

const ELEMENT = /^(.*)\[(\d+)\]$/;

/** An element of a list is named by what the user typed: `7_1 must be …`. */
function fieldOf({ field, message }: Fault, values: FormValues): [Field, string] | undefined {
  const [, list = field, place] = ELEMENT.exec(field) ?? [];
  const named = (Object.keys(PATHS) as Field[]).find((one) => PATHS[one] === list);
  if (named === undefined) return undefined;
  const held = named === 'slurmJobs' ? jobsOf(values) : named === 'pods' ? values.pods : [];
  const element = place === undefined ? undefined : held[Number(place)];
  return [named, `${element ?? 'It'} ${message}.`];
}
