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

/** The facts of a run of a job; null if missing. */
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

/** The facts in one record. */
export interface ReportedSlurmJob extends SlurmJobFacts {
  job_id: number;
  /** Identifies the run of the job; 0 if missing. */
  submit_time: number;
  /** Reported by slurmdbd, which learns later and less than slurmctld. */
  accounting: boolean;
}

/** Maximum lengths of texts, in characters. Those of name and account are Slurm's own. */
const MAX = { name: 1_024, nodes: 65_536, account: 1_024, partition: 2_048, path: 4_096, reason: 4_096, node: 1_024 };

const status: Reader<string> = (value) => {
  const current = state(value);
  return current === null ? null : statusOf(current);
};

/**
 * A record with the names of this API contains the exit code; Slurm's member of the same name is the status
 * of wait(2).
 */
const isFlat = (record: JsonObject) =>
  record.status !== undefined && record.job_state === undefined && record.state === undefined;
const ownExitCode: Reader<number> = (value, record) =>
  isFlat(record) && !isJsonObject(value) ? int32(value, record) : exitCode(value);

const reason: Reader<string> = (value, record) => {
  const reason = text(MAX.reason)(value, record);
  return reason === 'None' ? null : reason;
};

/** Slurm prints 0 for a missing value: every job has nodes, and none started in 1970. */
const unlessZero =
  (read: Reader<number>): Reader<number> =>
  (value, record) =>
    read(value, record) || null;
const moment = unlessZero(epochSeconds);
const size = unlessZero(count);

/**
 * The members for each column: the name of this API first, then those of squeue and slurmrestd (`slurm/`) in
 * either generation, then those of slurmdbd and sacct.
 */
const COLUMNS: ColumnRules<Omit<ReportedSlurmJob, 'accounting'>> = {
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
  // Not squeue's suspend_time, which is a point in time.
  time_suspended: { at: { time_suspended: count, 'time.suspended': count }, absent: null },
};

const readColumns = reader(COLUMNS);

/** @throws RecordFault if it cannot be stored as a job */
export function readSlurmJob(record: unknown): ReportedSlurmJob {
  const facts = readColumns(record);
  const [started, ended] = [!hasNotStarted(facts.status), hasEnded(facts.status)];
  return {
    ...facts,
    // Until then, Slurm prints the expected time, an exit code of 0, and the nodes of the run before a
    // requeue.
    start_time: started ? facts.start_time : null,
    nodes: started ? facts.nodes : null,
    end_time: ended ? facts.end_time : null,
    exit_code: ended ? facts.exit_code : null,
    derived_ec: ended ? facts.derived_ec : null,
    accounting: isOfDatabase(record as JsonObject),
  };
}

/** Only slurmdbd and sacct print times and state as objects. */
const isOfDatabase = ({ time, state: current }: JsonObject): boolean => isJsonObject(time) || isJsonObject(current);
