/**
 * The state of a job, merged from the records of squeue, sacct and others, which arrive concurrently, late
 * and in any order. The same rule applies within and across batches, so the order of the records makes no
 * difference.
 */
import type { SlurmJobFacts, ReportedSlurmJob } from './slurm-job-record';
import { eventTime, hasEnded, hasSucceeded, phaseOf, type Phase } from './slurm-job-states';

/** A job as column values. */
export interface SlurmJobColumns {
  job_id: number;
  status: string;
  name: string;
  nodes: string;
  priority: number;
  submit_time: number;
  start_time: number;
  end_time: number | null;
  account: string | null;
  partition: string | null;
  work_dir: string | null;
  num_cpus: number | null;
  num_nodes: number | null;
  exit_code: number | null;
  derived_ec: number | null;
  derived_es: string | null;
  failed_node: string | null;
  kill_requid: number | null;
  state_reason_prev: number | null;
  time_suspended: number | null;
  event_time: number | null;
  /** The rank of the record that gave each fact: a digit for each, in the order of `FACTS`. */
  ranks: string;
}

/** In the order of their ranks in the column: new facts are appended. */
const FACTS = [
  'status',
  'name',
  'nodes',
  'priority',
  'start_time',
  'end_time',
  'account',
  'partition',
  'work_dir',
  'num_cpus',
  'num_nodes',
  'exit_code',
  'derived_ec',
  'derived_es',
  'failed_node',
  'kill_requid',
  'state_reason_prev',
  'time_suspended',
] as const satisfies readonly (keyof SlurmJobFacts)[];
type Fact = (typeof FACTS)[number];

/** Facts of the job in any run. */
const OF_EVERY_RUN = ['name', 'account', 'partition', 'priority', 'work_dir'] as const satisfies readonly Fact[];

type Value = string | number | null;
type Facts = Record<Fact, Value>;

/** What is known of a run of a job. */
export interface KnownSlurmJob {
  readonly jobId: number;
  /** 0 if no record had it. */
  readonly submitTime: number;
  readonly status: string;
  readonly facts: Readonly<Facts>;
  readonly ranks: Readonly<Record<Fact, number>>;
}

/** No record had the fact. */
const MISSING = 0;
/** Contradicts the record's own state. */
const DOUBTED = 1;
/** A record of a later phase wins, and within one phase slurmctld wins over slurmdbd. */
const rankOf = (phase: Phase, accounting: boolean): number => 2 + 2 * phase + (accounting ? 0 : 1);
const phaseOfRank = (rank: number): number => Math.floor(rank / 2) - 1;

/** slurmdbd prints 0 for failed jobs: until 22.05 for all of them, later for those that a signal ended. */
const isDoubted = ({ status, exit_code }: ReportedSlurmJob): boolean =>
  exit_code === 0 && hasEnded(status) && !hasSucceeded(status);

function runOf(record: ReportedSlurmJob): KnownSlurmJob {
  const { job_id: jobId, submit_time: submitTime, accounting, ...facts } = record;
  const rank = rankOf(phaseOf(record.status), accounting);
  const ranks = ofEach((fact) => (facts[fact] === null ? MISSING : rank));
  if (isDoubted(record)) ranks.exit_code = DOUBTED;
  return { jobId, submitTime, status: record.status, facts, ranks };
}

/** Not from entries, because this runs several times for each reported job. */
function ofEach<T>(value: (fact: Fact, place: number) => T): Record<Fact, T> {
  const made = {} as Record<Fact, T>;
  for (const [place, fact] of FACTS.entries()) made[fact] = value(fact, place);
  return made;
}

/** Merges one more record. @returns the same object if the record belongs to an earlier run */
export function withReport(known: KnownSlurmJob | undefined, record: ReportedSlurmJob): KnownSlurmJob {
  const update = runOf(record);
  if (known === undefined) return update;
  if (known.submitTime > 0 && update.submitTime > 0) {
    if (update.submitTime < known.submitTime) return known;
    return update.submitTime > known.submitTime ? update : merged(known, update);
  }
  // Nothing says which run it is. A run does not go back, so this is another one.
  return phaseOf(update.status) < phaseOf(known.status) ? nextRun(known, update) : merged(known, update);
}

/**
 * Takes each fact from the record with the higher rank, and from the later one if the ranks are equal. A
 * missing fact removes nothing.
 */
function merged(known: KnownSlurmJob, update: KnownSlurmJob): KnownSlurmJob {
  const [facts, ranks] = [{ ...known.facts }, { ...known.ranks }];
  for (const fact of FACTS) {
    if (update.ranks[fact] === MISSING || update.ranks[fact] < ranks[fact]) continue;
    facts[fact] = update.facts[fact];
    ranks[fact] = update.ranks[fact];
  }
  const status = facts.status as string;
  // The reason for waiting is not the reason for the end.
  if (phaseOfRank(ranks.derived_es) !== phaseOf(status)) {
    facts.derived_es = null;
    ranks.derived_es = MISSING;
  }
  return { ...known, submitTime: Math.max(known.submitTime, update.submitTime), status, facts, ranks };
}

function nextRun(known: KnownSlurmJob, update: KnownSlurmJob): KnownSlurmJob {
  const facts = { ...update.facts };
  for (const fact of OF_EVERY_RUN) facts[fact] ??= known.facts[fact];
  const ranks = ofEach((fact) => (facts[fact] === update.facts[fact] ? update.ranks[fact] : DOUBTED));
  return { ...update, facts, ranks };
}

/** The row with this state. */
export function columnsOf({ jobId, submitTime, status, facts, ranks }: KnownSlurmJob): SlurmJobColumns {
  const known = facts as unknown as SlurmJobFacts;
  const row = {
    ...known,
    job_id: jobId,
    submit_time: submitTime,
    name: known.name ?? '',
    nodes: known.nodes ?? '',
    priority: known.priority ?? 0,
    start_time: known.start_time ?? 0,
    end_time: hasEnded(status) ? known.end_time : 0,
  };
  return { ...row, event_time: eventTime(row), ranks: FACTS.map((fact) => ranks[fact]).join('') };
}

/** The state of a job as its row has it. */
export function knownOf(row: SlurmJobColumns): KnownSlurmJob {
  const { job_id: jobId, submit_time: submitTime, status } = row;
  const ranks = ofEach((_fact, place) => Number(row.ranks[place] ?? MISSING));
  return { jobId, submitTime, status, facts: ofEach((fact) => (ranks[fact] === MISSING ? null : row[fact])), ranks };
}
