/**
 * What is known of a job, put together from what squeue, sacct and others tell of it side
 * by side, late and in any order. One law for records of one batch and of many: who reads
 * the outcome cannot tell in which order they came.
 */
import type { SlurmJobFacts, ToldSlurmJob } from './slurm-job-record';
import { eventTime, hasEnded, hasSucceeded, phaseOf, type Phase } from './slurm-job-states';

/** A job as its columns hold it. */
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
  /**
   * How much what told each fact knew, a digit each in the
   * order of `FACTS`.
   */
  ranks: string;
}

/** In the order of their ranks in the column: what comes later is appended. */
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

/** Facts of the job, whichever run of it. */
const OF_EVERY_RUN = ['name', 'account', 'partition', 'priority', 'work_dir'] as const satisfies readonly Fact[];

type Value = string | number | null;
type Facts = Record<Fact, Value>;

/** A run of a job as far as it is known. */
export interface KnownSlurmJob {
  readonly jobId: number;
  /** 0 where no record told it. */
  readonly submitTime: number;
  readonly status: string;
  readonly facts: Readonly<Facts>;
  readonly ranks: Readonly<Record<Fact, number>>;
}

/** Nothing was told. */
const UNTOLD = 0;
/** Told, but against its own state. */
const DOUBTED = 1;
/** A record of a later phase knows more, and of one phase slurmctld more than slurmdbd. */
const rankOf = (phase: Phase, accounting: boolean): number => 2 + 2 * phase + (accounting ? 0 : 1);
const phaseOfRank = (rank: number): number => Math.floor(rank / 2) - 1;

/**
 * slurmdbd prints 0 for jobs that failed, until 22.05 for
 * all of them and later for those that a signal ended.
 */
const isDoubted = ({ status, exit_code }: ToldSlurmJob): boolean =>
  exit_code === 0 && hasEnded(status) && !hasSucceeded(status);

function runOf(told: ToldSlurmJob): KnownSlurmJob {
  const { job_id: jobId, submit_time: submitTime, accounting, ...facts } = told;
  const rank = rankOf(phaseOf(told.status), accounting);
  const ranks = ofEach((fact) => (facts[fact] === null ? UNTOLD : rank));
  if (isDoubted(told)) ranks.exit_code = DOUBTED;
  return { jobId, submitTime, status: told.status, facts, ranks };
}

/** Not from entries: this is done several times for each job that is told of. */
function ofEach<T>(value: (fact: Fact, place: number) => T): Record<Fact, T> {
  const made = {} as Record<Fact, T>;
  for (const [place, fact] of FACTS.entries()) made[fact] = value(fact, place);
  return made;
}

/** What is known with one more record. @returns the same object when it is of an earlier run */
export function withTold(known: KnownSlurmJob | undefined, record: ToldSlurmJob): KnownSlurmJob {
  const told = runOf(record);
  if (known === undefined) return told;
  if (known.submitTime > 0 && told.submitTime > 0) {
    if (told.submitTime < known.submitTime) return known;
    return told.submitTime > known.submitTime ? told : merged(known, told);
  }
  // Which run it is nobody says. A run does not go back, so this is another one of the job.
  return phaseOf(told.status) < phaseOf(known.status) ? nextRun(known, told) : merged(known, told);
}

/**
 * Fact by fact what who knew most told, and of those the
 * last. What a record does not tell takes nothing away.
 */
function merged(known: KnownSlurmJob, told: KnownSlurmJob): KnownSlurmJob {
  const [facts, ranks] = [{ ...known.facts }, { ...known.ranks }];
  for (const fact of FACTS) {
    if (told.ranks[fact] === UNTOLD || told.ranks[fact] < ranks[fact]) continue;
    facts[fact] = told.facts[fact];
    ranks[fact] = told.ranks[fact];
  }
  const status = facts.status as string;
  // Why it waited is not why it ended.
  if (phaseOfRank(ranks.derived_es) !== phaseOf(status)) {
    facts.derived_es = null;
    ranks.derived_es = UNTOLD;
  }
  return { ...known, submitTime: Math.max(known.submitTime, told.submitTime), status, facts, ranks };
}

function nextRun(known: KnownSlurmJob, told: KnownSlurmJob): KnownSlurmJob {
  const facts = { ...told.facts };
  for (const fact of OF_EVERY_RUN) facts[fact] ??= known.facts[fact];
  const ranks = ofEach((fact) => (facts[fact] === told.facts[fact] ? told.ranks[fact] : DOUBTED));
  return { ...told, facts, ranks };
}

/** The row that holds it. */
export function columnsOf({ jobId, submitTime, status, facts, ranks }: KnownSlurmJob): SlurmJobColumns {
  const told = facts as unknown as SlurmJobFacts;
  const row = {
    ...told,
    job_id: jobId,
    submit_time: submitTime,
    name: told.name ?? '',
    nodes: told.nodes ?? '',
    priority: told.priority ?? 0,
    start_time: told.start_time ?? 0,
    end_time: hasEnded(status) ? told.end_time : 0,
  };
  return { ...row, event_time: eventTime(row), ranks: FACTS.map((fact) => ranks[fact]).join('') };
}

/** What a row says. */
export function knownOf(row: SlurmJobColumns): KnownSlurmJob {
  const { job_id: jobId, submit_time: submitTime, status } = row;
  const ranks = ofEach((_fact, place) => Number(row.ranks[place] ?? UNTOLD));
  return { jobId, submitTime, status, facts: ofEach((fact) => (ranks[fact] === UNTOLD ? null : row[fact])), ranks };
}
