import type { Schemas } from '../api/client';
import { Status, type Tone } from './status';

/** What several pages show of Slurm. */

/** Of a job. Events have a shorter word for a job that ran out of memory. */
const JOB_TONES: Readonly<Record<string, Tone>> = {
  RUNNING: 'good',
  COMPLETED: 'good',
  PENDING: 'busy',
  CONFIGURING: 'busy',
  COMPLETING: 'busy',
  SUSPENDED: 'warn',
  PREEMPTED: 'warn',
  FAILED: 'bad',
  NODE_FAIL: 'bad',
  OUT_OF_MEMORY: 'bad',
  OOM: 'bad',
  TIMEOUT: 'bad',
  BOOT_FAIL: 'bad',
  DEADLINE: 'bad',
};

export const SlurmJobStatus = ({ status }: { status: string }) => (
  <Status tone={JOB_TONES[status] ?? 'quiet'}>{status}</Status>
);

type CheckpointStatus = Schemas['SlurmCheckpointView']['status'];

const CHECKPOINTS: Readonly<Record<CheckpointStatus, readonly [tone: Tone, word: string]>> = {
  initializing: ['busy', 'Requested'],
  updated_info: ['busy', 'Saved, uploading'],
  possibly_uploaded: ['warn', 'Perhaps uploaded'],
  ready: ['good', 'Ready'],
  deprecated: ['quiet', 'Deprecated'],
};

export const wordOfCheckpoint = (status: CheckpointStatus): string => CHECKPOINTS[status][1];

export const SlurmCheckpointStatus = ({ status }: { status: CheckpointStatus }) => (
  <Status tone={CHECKPOINTS[status][0]}>{wordOfCheckpoint(status)}</Status>
);

/** A job's cluster and its number in that cluster, as the address of the workloads page names it. */
export const slurmKey = ({ cluster_id: cluster, job_id: id }: { cluster_id: string; job_id: number }): string =>
  `${cluster}:${id}`;
