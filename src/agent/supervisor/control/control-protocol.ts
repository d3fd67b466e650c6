import type { FailureFacts } from '../../failures';
import type { MachineFacts } from '../../machine/machine-facts';
import type { NetworkStatus } from '../../network/workload-network';
import type { Progress, Stage } from '../../stages';

/**
 * What a supervisor answers on its Unix socket, as HTTP with JSON. The socket has the mode 0600: whoever may
 * open it may do everything.
 *
 * - `GET /status` answers a `WorkloadStatus`, and `GET /status/brief` one without its checkpoints.
 * - `POST /checkpoint` takes a `CheckpointRequest` and answers lines of JSON, each a `CheckpointLine`, the
 *   last one with `result` or `failure`. The newest progress is repeated every 30 seconds, also while the
 *   request waits, until nothing has moved for hours: then the answer is the failure `checkpoint_hung`. A
 *   repeated id joins the attempt in progress, or gets its result.
 *
 * A request that is refused has a status from 400 on, and the body `{failure: FailureFacts}`.
 */
export interface WorkloadStatus {
  readonly namespace: string;
  readonly name: string;
  /** UUID: that of the pod in the inventory. A new supervisor of the same name has another one. */
  readonly uid: string;
  readonly phase: Phase;
  /** Process id of the workload as the machine sees it; null before it runs and after it ended. */
  readonly pid: number | null;
  /**
   * Process id of its supervisor, which gets the signals for it; null after it ended. It may outlive its
   * workload for a while, to store a checkpoint: until then, nobody else can have the name.
   */
  readonly supervisorPid: number | null;
  readonly command: readonly string[];
  readonly startedAt: string;
  /** null before it is known, which is before the workload runs. */
  readonly network: NetworkStatus | null;
  /** From which checkpoint it was restored; null if it was started. */
  readonly restored: RestoredFrom | null;
  /** Exit code, or 128 + signal; null while it runs. */
  readonly exitCode: number | null;
  /** Why it could not be started or restored; null if it could. */
  readonly failure: FailureFacts | null;
  /** Its checkpoints, newest last, at most 100. A brief status has none. */
  readonly checkpoints: readonly CheckpointState[];
  /** SIGTERM has come: its last checkpoint is taken, and it ends. Older supervisors do not say it. */
  readonly preempted?: true;
}

export interface RestoredFrom {
  readonly reference: string;
  /** Of which the checkpoint was taken: not always of the same name. */
  readonly workload: { readonly namespace: string; readonly name: string };
  /** Of the restore. */
  readonly stages: readonly Stage[];
}

/** `gone`: its supervisor was killed, and the workload with it. Only a reader of its folder can see that. */
export type Phase = 'starting' | 'restoring' | 'running' | 'checkpointing' | 'ended' | 'gone';

export const MAX_STAY_SECONDS = 3_600;

export interface CheckpointRequest {
  /** UUID. */
  readonly id: string;
  /** false: the workload ends when its images are stored. */
  readonly leaveRunning: boolean;
  /**
   * After it let the workload go, the supervisor waits so long for a signal before it ends too. A batch
   * system takes its end for that of the job, which shall be moved instead.
   */
  readonly staySeconds?: number;
}

export type CheckpointState =
  | { readonly id: string; readonly state: 'in_progress'; readonly progress: Progress | null }
  /** Nothing of it has moved for hours, and who waited for it got the failure. It may move again, or end. */
  | {
      readonly id: string;
      readonly state: 'hung';
      readonly progress: Progress | null;
      readonly failure: FailureFacts;
    }
  | { readonly id: string; readonly state: 'ready'; readonly result: CheckpointResult }
  | { readonly id: string; readonly state: 'failed'; readonly failure: FailureFacts };

/**
 * Whether a supervisor has an attempt with this id: who asks again joins it, or gets its end.
 * @param status may be of anybody who pretends to be a supervisor
 */
export const hasAttempt = ({ checkpoints }: { readonly checkpoints?: unknown }, id: string): boolean =>
  Array.isArray(checkpoints) && checkpoints.some((one: { readonly id?: unknown } | null) => one?.id === id);

export interface CheckpointResult {
  readonly reference: string;
  readonly bytes: number;
  readonly stages: readonly Stage[];
  /** The members of CRIU's stats-dump, with CRIU's names: times in microseconds, pages as numbers. */
  readonly criu: Readonly<Record<string, number>>;
  /** As the manifest has them. A status leaves them out, and a later supervisor does not know them. */
  readonly machine?: MachineFacts;
  /** It was asked for after a SIGTERM, which ends the workload. */
  readonly preempted?: true;
}

export interface CheckpointLine {
  readonly progress?: Progress;
  readonly result?: CheckpointResult;
  readonly failure?: FailureFacts;
}
