import { MAX_JOINED_IDS } from '../../1-platform/common/fields/comma-joined';
import { Bool, Int, Str, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import type { SlurmJobRow } from './jobs/slurm-jobs.queries';
import { Records, SlurmSyncBody } from './sync/slurm-sync.dto';

/** Maximum number of jobs in one batch. */
export const MAX_JOBS = 50_000;

export class SyncSlurmJobsBody extends SlurmSyncBody {
  @Records(
    MAX_JOBS,
    {},
    'Each as squeue --json, sacct --json or slurmrestd prints it, of any release since 20.11, or with the names of the answer',
  )
  jobs!: unknown[];
}

export class ListSlurmJobsQuery extends PageQuery {
  @Str({
    optional: true,
    max: 20 * MAX_JOINED_IDS,
    description: `Comma-separated Slurm job ids, at most ${MAX_JOINED_IDS}`,
  })
  job_ids?: string;

  @Uuid({ optional: true })
  cluster_id?: string;

  @Bool({ query: true, optional: true, description: 'Only jobs that have ended, or only those that have not' })
  ended?: boolean;
}

/** Default and maximum number of rows per page. */
const PAGE = { default: 50, max: 100 };

/** Parameters of the paginated lists of Slurm. */
export class SlurmPageQuery {
  @Int({ query: true, optional: true, min: 0, default: 0, description: 'Records to skip' })
  offset?: number;

  @Int({
    query: true,
    optional: true,
    min: 1,
    max: PAGE.max,
    showMax: true,
    default: PAGE.default,
    description: `Maximum number of records, clamped to ${PAGE.max}`,
  })
  limit?: number;
}

export const pageOf = ({ limit = PAGE.default, offset = 0 }: SlurmPageQuery) => ({ limit, offset });

export class ListSlurmEventsQuery extends PageQuery {
  @Str({ optional: true, nullable: true, max: 64, description: 'Case-insensitive; OOM or OUT_OF_MEMORY' })
  status?: string | null;

  @Int({ query: true, optional: true, nullable: true, description: 'Unix epoch seconds, inclusive' })
  since?: number | null;

  @Uuid({ optional: true })
  cluster_id?: string;
}

const EPOCH = 'Unix epoch seconds';

export class SlurmJobView implements SlurmJobRow {
  @Int({ description: 'In the order of the first reports' })
  id!: number;

  @Int({ description: "Slurm's own number" })
  job_id!: number;

  @Str({ format: 'uuid' })
  cluster_id!: string;

  @Str()
  name!: string;

  @Str({ max: 65_536, description: "In Slurm's notation: gpu-[1-2]" })
  nodes!: string;

  @Int()
  priority!: number;

  @Str({ description: "Slurm's state without its flags", example: 'RUNNING' })
  status!: string;

  @Int({ description: `${EPOCH}; 0 until it has started` })
  start_time!: number;

  @Int({ description: EPOCH })
  submit_time!: number;

  @Str({ nullable: true })
  account!: string | null;

  @Str({ nullable: true })
  partition!: string | null;

  @Str({ nullable: true })
  work_dir!: string | null;

  @Int({ nullable: true })
  num_cpus!: number | null;

  @Int({ nullable: true })
  num_nodes!: number | null;

  @Int({ nullable: true, description: 'As a shell shows it: 128 + the signal that ended it; null until it has ended' })
  exit_code!: number | null;

  @Int({ nullable: true, description: 'The highest exit code of its steps' })
  derived_ec!: number | null;

  @Str({ nullable: true, description: 'The reason of its end, or for which it waits' })
  derived_es!: string | null;

  @Int({ nullable: true, description: `${EPOCH}; 0 until it has ended, null if the end is unknown` })
  end_time!: number | null;

  @Str({ nullable: true, description: 'Node that caused the failure' })
  failed_node!: string | null;

  @Int({ nullable: true, description: 'User who sent the kill or preempt signal' })
  kill_requid!: number | null;

  @Int({ nullable: true, description: 'Reason code of the previous transition' })
  state_reason_prev!: number | null;

  @Int({ nullable: true, description: 'Seconds' })
  time_suspended!: number | null;
}

export class SlurmEventView {
  @Int()
  job_id!: number;

  @Uuid({ description: 'The registered cluster that reported it' })
  cluster_id!: string;

  @Str({ description: 'Name of the job' })
  name!: string;

  @Str({ description: "The job's status, but OOM for OUT_OF_MEMORY", example: 'NODE_FAIL' })
  status!: string;

  @Int({ description: `${EPOCH} of the end, else of the start, else of the submission, else 0` })
  timestamp!: number;

  @Int({ nullable: true })
  derived_ec!: number | null;

  @Int({ nullable: true, format: 'int32' })
  exit_code!: number | null;

  @Str({ nullable: true })
  failed_node!: string | null;

  @Int({ nullable: true })
  kill_requid!: number | null;

  @Str({ nullable: true })
  partition!: string | null;

  @Str({ nullable: true, description: 'Why it ended' })
  reason!: string | null;

  @Int({ nullable: true, description: 'Seconds' })
  time_suspended!: number | null;
}
