import { isJsonObject, type JsonObject } from '../../../1-platform/common/json/json';
import { hasEnded, hasNotStarted, statusOf } from './slurm-job-states';
import { reader, type ColumnRules } from '../values/slurm-record';
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
} from '../values/slurm-values';

/** What can be told of a run of a job; null where nothing is. */
export interface SlurmJobFacts {
  status: string;
  name: string | null;
  nodes: string | null;
  priority: number | null;
  start_time: number | null;
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

/** What one record tells. */
export interface ToldSlurmJob extends SlurmJobFacts {
  job_id: number;
  /** Which run of the job it is; 0 where it is not told. */
  submit_time: number;
  /** Told by slurmdbd, which knows late and little what slurmctld knows itself. */
  accounting: boolean;
}

/** Longest texts, in characters. Of name and account Slurm's own. */
const MAX = { name: 1_024, nodes: 65_536, account: 1_024, partition: 2_048, path: 4_096, reason: 4_096, node: 1_024 };

const status: Reader<string> = (value) => {
  const told = state(value);
  return told === null ? null : statusOf(told);
};

/**
 * A record with the wire's own names has the exit code itself,
 * Slurm's of the same member the status of wait(2).
 */
const isFlat = (record: JsonObject) =>
  record.status !== undefined && record.job_state === undefined && record.state === undefined;
const ownExitCode: Reader<number> = (value, record) =>
  isFlat(record) && !isJsonObject(value) ? int32(value, record) : exitCode(value);

const reason: Reader<string> = (value, record) => {
  const told = text(MAX.reason)(value, record);
  return told === 'None' ? null : told;
};

/** Slurm prints 0 where it has none yet: no job has no node, and none began in 1970. */
const unlessZero =
  (read: Reader<number>): Reader<number> =>
  (value, record) =>
    read(value, record) || null;
const moment = unlessZero(epochSeconds);
const size = unlessZero(count);

/**
 * Where each column stands: the wire's own name first, then squeue's and slurmrestd's (`slurm/`),
 * of either generation, then slurmdbd's and sacct's.
 */
const COLUMNS: ColumnRules<Omit<ToldSlurmJob, 'accounting'>> = {
  job_id: { at: { job_id: integerOf(1, Number.MAX_SAFE_INTEGER) } },
  status: { at: { status, job_state: status, 'state.current': status, state: status } },
  name: { at: { name: text(MAX.name) }, absent: null },
  nodes: { at: { nodes: listText(MAX.nodes) }, absent: null },
  priority: { at: { priority: integer }, absent: null },
  submit_time: { at: { submit_time: moment, 'time.submission': moment }, absent: 0 },
  start_time: { at: { start_time: moment, 'time.start': moment }, absent: null },
  end_time: { at: { end_time: moment, 'time.end': moment }, absent: null },
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
  num_cpus: { at: { num_cpus: size, cpus: size, 'required.CPUs': size }, absent: null },
  num_nodes: { at: { num_nodes: size, node_count: size, allocation_nodes: size }, absent: null },
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
  const [started, ended] = [!hasNotStarted(told.status), hasEnded(told.status)];
  return {
    ...told,
    // Until then Slurm tells when it expects it, an exit code of 0, and where it ran before it was requeued.
    start_time: started ? told.start_time : null,
    nodes: started ? told.nodes : null,
    end_time: ended ? told.end_time : null,
    exit_code: ended ? told.exit_code : null,
    derived_ec: ended ? told.derived_ec : null,
    accounting: isOfDatabase(record as JsonObject),
  };
}

/** slurmdbd and sacct alone print times and state as objects. */
const isOfDatabase = ({ time, state: told }: JsonObject): boolean => isJsonObject(time) || isJsonObject(told);
