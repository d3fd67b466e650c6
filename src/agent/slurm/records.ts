/** One record as Slurm prints it. Members differ between releases, see below. */
export type SlurmRecord = Readonly<Record<string, unknown>>;

/** These members of it, as far as it has them. */
export const picked = (record: SlurmRecord, names: readonly string[]): SlurmRecord =>
  Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]));

/** What the controller itself needs to know of a job. The service reads the record. */
export interface SlurmJob {
  readonly jobId: number;
  /** How Slurm's commands name it: an array's task is not named by its number alone. */
  readonly reference: string;
  readonly cluster: string;
  readonly name: string;
  readonly partition: string;
  readonly phase: JobPhase;
  /** For people, such as `CANCELLED`. */
  readonly state: string;
  readonly restarts: number;
  readonly isRequeueable: boolean;
  /** Where its script runs; empty if it does not. */
  readonly batchHost: string;
  readonly nodes: string;
  readonly nodeCount: number;
  readonly excludedNodes: string;
  readonly adminComment: string;
  readonly comment: string;
  /** Of its owner on the machine; undefined: Slurm does not show it. */
  readonly userId: number | undefined;
  readonly output: string;
  readonly record: SlurmRecord;
}

/** `settling`: between two others, such as COMPLETING. */
export type JobPhase = 'pending' | 'settling' | 'running' | 'suspended' | 'ended';

const SETTLING = ['COMPLETING', 'CONFIGURING', 'STAGE_OUT', 'SIGNALING', 'RESIZING', 'REQUEUE_FED'];
const PENDING = ['PENDING', 'REQUEUED', 'REQUEUE_HOLD', 'RESV_DEL_HOLD', 'SPECIAL_EXIT'];
const SUSPENDED = ['SUSPENDED', 'STOPPED'];

/** Until 22.05 a text, later a list: the state first, then its flags. */
export function wordsOf(value: unknown): string[] {
  const words = Array.isArray(value) ? value : typeof value === 'string' ? value.split(/[+,\s]+/) : [];
  return words
    .filter((word): word is string => typeof word === 'string' && word !== '')
    .map((word) => word.toUpperCase());
}

/** Until 22.05 a number, later `{set, infinite, number}`. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { set, infinite, number } = value as { set?: unknown; infinite?: unknown; number?: unknown };
  return set === true && infinite !== true && typeof number === 'number' ? number : undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export function phaseOf(states: readonly string[]): JobPhase {
  const some = (words: readonly string[]) => states.some((state) => words.includes(state));
  if (some(SETTLING)) return 'settling';
  if (some(PENDING)) return 'pending';
  if (some(SUSPENDED)) return 'suspended';
  return some(['RUNNING']) ? 'running' : 'ended';
}

/** @returns undefined if it is not the record of a job */
export function readJob(record: SlurmRecord): SlurmJob | undefined {
  const jobId = numberOf(record.job_id);
  const states = wordsOf(record.job_state);
  if (jobId === undefined || states.length === 0) return undefined;
  const [array, task] = [numberOf(record.array_job_id) ?? 0, numberOf(record.array_task_id)];
  return {
    jobId,
    reference: array > 0 && task !== undefined ? `${array}_${task}` : String(jobId),
    cluster: textOf(record.cluster),
    name: textOf(record.name),
    partition: textOf(record.partition),
    phase: phaseOf(states),
    state: states.join('+'),
    restarts: numberOf(record.restart_cnt) ?? 0,
    // Slurm requeues all parts of a heterogeneous job, of which a checkpoint has one.
    isRequeueable: record.requeue === true && record.batch_flag !== false && !isHeterogeneous({ record }),
    batchHost: textOf(record.batch_host),
    nodes: textOf(record.nodes),
    nodeCount: numberOf(record.node_count) ?? 0,
    excludedNodes: textOf(record.excluded_nodes),
    adminComment: textOf(record.admin_comment),
    comment: textOf(record.comment),
    userId: numberOf(record.user_id),
    output: textOf(record.standard_output),
    record,
  };
}

/** Whether it is one of several parts that Slurm starts, requeues and ends together. */
export const isHeterogeneous = ({ record }: Pick<SlurmJob, 'record'>): boolean =>
  (numberOf(record.het_job_id) ?? 0) > 0;

/** Whether slurmdbd kept the end of a job. Its records name the state differently than those of squeue. */
export function isEndedInAccounting({ state }: SlurmRecord): boolean {
  const states = wordsOf(
    typeof state === 'object' && state !== null ? (state as { current?: unknown }).current : state,
  );
  return states.length > 0 && phaseOf(states) === 'ended';
}

/** The records of one kind in a document. @returns undefined if it has none of this name */
export function recordsIn(document: SlurmRecord, kind: string): SlurmRecord[] | undefined {
  const records = document[kind];
  if (!Array.isArray(records)) return undefined;
  return records.filter((record): record is SlurmRecord => typeof record === 'object' && record !== null);
}

/**
 * Lines of `scontrol show … -o`, which 22.05 prints only as text. Values have no spaces, except in comments
 * at the end.
 */
export const fieldsOf = (text: string): Map<string, string>[] =>
  text
    .split('\n')
    .filter((line) => line.includes('='))
    .map(
      (line) =>
        new Map(
          line
            .trim()
            .split(/\s(?=\w+=)/)
            .map(fieldOf),
        ),
    );

function fieldOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** What scontrol prints for nothing. */
const NOTHING = ['(null)', 'N/A', 'None', ''];
const given = (text: string | undefined): string | undefined =>
  text === undefined || NOTHING.includes(text) ? undefined : text;

/** A partition of `scontrol show partition -o`, with the names of the service. */
export function partitionOf(fields: ReadonlyMap<string, string>): SlurmRecord {
  const number = (name: string) => Number(fields.get(name) ?? NaN) || 0;
  return {
    name: fields.get('PartitionName') ?? '',
    state: fields.get('State') ?? 'UNKNOWN',
    nodes: given(fields.get('Nodes')) ?? '',
    total_nodes: number('TotalNodes'),
    total_cpus: number('TotalCPUs'),
    priority_tier: number('PriorityTier'),
    max_time: minutesOf(fields.get('MaxTime')),
    default_time: minutesOf(fields.get('DefaultTime')),
    is_default: fields.get('Default') === 'YES',
  };
}

/** `1-02:30:00` is a day and a half. @returns -1 for no limit */
function minutesOf(text: string | undefined): number {
  const [, days, hours, minutes] = /^(?:(\d+)-)?(\d+):(\d+):\d+$/.exec(text ?? '') ?? [];
  if (hours === undefined) return -1;
  return (Number(days ?? 0) * 24 + Number(hours)) * 60 + Number(minutes);
}

/** A reservation of `scontrol show reservation -o`, with the names of the service. Times are in seconds. */
export function reservationOf(fields: ReadonlyMap<string, string>): SlurmRecord {
  const [comment, flags] = [given(fields.get('Comment')), given(fields.get('Flags'))];
  return {
    name: fields.get('ReservationName') ?? '',
    start_time: Number(fields.get('StartTime')),
    end_time: Number(fields.get('EndTime')),
    node_list: given(fields.get('Nodes')) ?? '',
    partition: given(fields.get('PartitionName')) ?? '',
    flags: flags?.split(',') ?? [],
    ...(comment === undefined ? {} : { comment }),
  };
}
