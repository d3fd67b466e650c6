import { isJsonObject, type JsonObject } from '../common/json';
import { eventTime, hasEnded, hasNotStarted, statusOf } from './slurm-job-states';
import { reader, type ColumnRules } from './slurm-record';
import {
  count,
  epochSeconds,
  exitCode,
  int32,
  integer,
  integerOf,
  listText,
  state,
  text,
  userId,
  type Reader,
} from './slurm-values';

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
}

/** A row with what follows from it. */
export interface ToldSlurmJob extends SlurmJobColumns {
  event_time: number | null;
}

/** Longest texts, in characters. A name is looked up by, and a longer one fits no index. */
const MAX = { name: 512, nodes: 65_536, account: 512, partition: 2_048, path: 4_096, reason: 4_096, node: 1_024 };

const status: Reader<string> = (value) => {
  const told = state(value);
  return told === null ? null : statusOf(told);
};

/** A record with the wire's own names has the exit code itself, Slurm's of the same member the status of wait(2). */
const isFlat = (record: JsonObject) =>
  record.status !== undefined && record.job_state === undefined && record.state === undefined;
const ownExitCode: Reader<number> = (value, record) =>
  isFlat(record) && !isJsonObject(value) ? int32(value, record) : exitCode(value);

const reason: Reader<string> = (value, record) => {
  const told = text(MAX.reason)(value, record);
  return told === 'None' ? null : told;
};

/**
 * Where each column stands: the wire's own name first, then squeue's and slurmrestd's (`slurm/`), of either generation, then
 * slurmdbd's and sacct's.
 */
const COLUMNS: ColumnRules<SlurmJobColumns> = {
  job_id: { at: { job_id: integerOf(1, Number.MAX_SAFE_INTEGER) } },
  status: { at: { status, job_state: status, 'state.current': status, state: status } },
  name: { at: { name: text(MAX.name) }, absent: '' },
  nodes: { at: { nodes: listText(MAX.nodes) }, absent: '' },
  priority: { at: { priority: integer }, absent: 0 },
  submit_time: { at: { submit_time: epochSeconds, 'time.submission': epochSeconds }, absent: 0 },
  start_time: { at: { start_time: epochSeconds, 'time.start': epochSeconds }, absent: 0 },
  end_time: { at: { end_time: epochSeconds, 'time.end': epochSeconds }, absent: null },
  account: { at: { account: text(MAX.account) }, absent: null },
  partition: { at: { partition: text(MAX.partition) }, absent: null },
  work_dir: {
    at: {
      work_dir: text(MAX.path),
      current_working_directory: text(MAX.path),
      working_directory: text(MAX.path),
    },
    absent: null,
  },
  num_cpus: { at: { num_cpus: count, cpus: count, 'required.CPUs': count }, absent: null },
  num_nodes: { at: { num_nodes: count, node_count: count, allocation_nodes: count }, absent: null },
  exit_code: { at: { exit_code: ownExitCode }, absent: null },
  derived_ec: { at: { derived_ec: integer, derived_exit_code: exitCode }, absent: null },
  derived_es: {
    at: {
      derived_es: text(MAX.reason),
      state_description: text(MAX.reason),
      state_reason: reason,
      'state.reason': reason,
    },
    absent: null,
  },
  failed_node: { at: { failed_node: text(MAX.node) }, absent: null },
  kill_requid: { at: { kill_requid: userId, kill_request_user: userId }, absent: null },
  state_reason_prev: { at: { state_reason_prev: integer }, absent: null },
  // Not squeue's suspend_time, which is a moment.
  time_suspended: { at: { time_suspended: count, 'time.suspended': count }, absent: null },
};

const readColumns = reader(COLUMNS);

/** @throws RecordFault when it is no job that can be stored */
export function readSlurmJob(record: unknown): ToldSlurmJob {
  const told = readColumns(record);
  const ended = hasEnded(told.status);
  const row: SlurmJobColumns = {
    ...told,
    // Until then Slurm tells when it expects it, and an exit code of 0.
    start_time: hasNotStarted(told.status) ? 0 : told.start_time,
    end_time: ended ? told.end_time : 0,
    exit_code: ended ? told.exit_code : null,
    derived_ec: ended ? told.derived_ec : null,
  };
  return { ...row, event_time: eventTime(row) };
}

/** One record for each job: of several (sacct --duplicates) the one submitted last, the later one when they are equal. */
export function newestOfEach(rows: readonly ToldSlurmJob[]): ToldSlurmJob[] {
  const newest = new Map<number, ToldSlurmJob>();
  for (const row of rows) {
    const other = newest.get(row.job_id);
    if (other === undefined || row.submit_time >= other.submit_time) newest.set(row.job_id, row);
  }
  return [...newest.values()];
}
