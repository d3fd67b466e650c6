import { AgentFailure, type FailureFacts } from '../../../failures';
import { PLATFORM } from '../../../machine/platform';
import type { MachineFacts } from '../../../machine/machine-facts';
import { listedCheckpoints } from '../../../service/listed-checkpoints';
import { ServiceProblem } from '../../../service/problems';
import { idempotencyKey, type RequestId } from '../../../service/requests';
import { found } from '../../../store/listing';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';
import type { ClusterContext } from '../cluster-context';
import { getAction, isOver } from '../requests/open-actions';
import { checkpointInfo, failureText } from './profiles';

/** The operations are the same for both kinds of workloads. */
export const CHECKPOINT_PATHS = {
  pods: {
    create: '/v1/checkpoints',
    info: '/v1/checkpoints/info/{id}',
    uploaded: '/v1/checkpoints/uploaded/{id}',
  },
  slurm: {
    create: '/v1/slurm/checkpoints',
    info: '/v1/slurm/checkpoints/info/{id}',
    uploaded: '/v1/slurm/checkpoints/uploaded/{id}',
  },
} as const;

type Paths = (typeof CHECKPOINT_PATHS)[keyof typeof CHECKPOINT_PATHS];

const NS_PER_MS = 1e6;
const BYTES_PER_MIB = 2 ** 20;

/** What a checkpoint is of. */
interface Subject {
  readonly container_name?: string;
  readonly name?: string;
}

/**
 * A job is one container to the service: whoever reports its checkpoint, its controller or the supervisor
 * that takes the last one, gets the same one.
 */
export const OF_JOB: Subject = { container_name: 'job' };

/** Reports requested checkpoints. Each report may be repeated, by this process or the next one. */
export class CheckpointReports {
  constructor(
    private readonly context: Pick<ClusterContext, 'service' | 'store' | 'log' | 'say'>,
    private readonly paths: Paths,
  ) {}

  /**
   * @returns the id of the checkpoint; undefined if the service no longer wants it
   */
  async takeUp(request: RequestId, of: Subject): Promise<string | undefined> {
    const body = { action_id: request.actionId, ...of };
    const header = { 'Idempotency-Key': idempotencyKey(request, `create_checkpoint/${of.name ?? ''}`) };
    try {
      return await this.context.service.send('create_checkpoint', (api) =>
        api.POST(this.paths.create, { params: { header }, body, parseAs: 'text' }),
      );
    } catch (error) {
      if (!isSettled(error)) throw error;
      this.context.log.info({ action_id: request.actionId, code: error.code }, 'the checkpoint is no longer wanted');
      return undefined;
    }
  }

  /**
   * @param isNeeded whether its workload depends on it, so that it stays in any case
   * @returns whether the service has it now. One that came too late is removed, unless it ended its workload:
   * `StoredCheckpoints` then finds out whether somebody decided that. One that the service does not know
   * stays
   */
  async result(
    request: RequestId,
    id: string,
    result: CheckpointResult,
    totalNs: number,
    isNeeded = false,
  ): Promise<boolean> {
    const { paths } = this;
    const { service, store, log } = this.context;
    const { reference } = result;
    const machine = result.machine ?? (await this.machine(reference));
    const stagesNs = result.stages.reduce((sum, { durationNs }) => sum + durationNs, 0);
    // After a restart of this process, the wait before the stages is not known.
    const waitNs = totalNs >= stagesNs ? totalNs - stagesNs : undefined;
    try {
      const info = { gpu: '', platform: PLATFORM, info: checkpointInfo(result, waitNs, machine) };
      const path = { id };
      await service.send('put_checkpoint_info', (api) =>
        api.PUT(paths.info, { params: { path }, body: info, parseAs: 'text' }),
      );
      // The checkpoints of one action are reported at paths of their own, which a key must not share.
      const header = { 'Idempotency-Key': idempotencyKey(request, `report_checkpoint_uploaded/${id}`) };
      const body = { restore_path: reference };
      await service.send('report_checkpoint_uploaded', (api) =>
        api.POST(paths.uploaded, { params: { path, header }, body, parseAs: 'text' }),
      );
      return true;
    } catch (error) {
      if (!isSettled(error)) throw error;
      if (error.status === UNKNOWN) return this.keepUnknown(id, reference);
      // A repeated report of a checkpoint that was ready before this process was killed.
      if ((await this.statusOf(id)) === 'ready') return true;
      log.warn({ checkpoint_id: id, code: error.code }, 'the checkpoint came too late');
      if (!isNeeded && !(await this.isLetGo(reference))) await store.remove(reference);
      return false;
    }
  }

  /** Removes what was stored for a checkpoint, unless the service has it, or does not know it. */
  async withdraw(id: string, { reference }: CheckpointResult): Promise<void> {
    const status = await this.statusOf(id);
    if (status === 'ready') return;
    if (status === undefined) return void this.keepUnknown(id, reference);
    await this.context.store.remove(reference);
    this.context.log.info({ checkpoint_id: id, reference }, 'a checkpoint that is no longer wanted was removed');
  }

  async failure(id: string, failure: FailureFacts): Promise<void> {
    const { cause, message, remedy, log } = failure;
    const info = { cause, message, remedy, log };
    const body = { gpu: '', platform: PLATFORM, error: failureText(failure), info };
    try {
      await this.context.service.send('put_checkpoint_info', (api) =>
        api.PUT(this.paths.info, { params: { path: { id } }, body, parseAs: 'text' }),
      );
    } catch (error) {
      if (!isSettled(error)) throw error;
      this.context.log.info({ checkpoint_id: id, code: error.code }, 'the service knows another end of the checkpoint');
    }
  }

  /**
   * Reports that the agent itself failed. What it may have stored is removed like all that is deprecated.
   * @returns whether the service still wanted the checkpoint
   */
  async giveUp(request: RequestId, of: Subject, failure: FailureFacts): Promise<boolean> {
    if (isOver(await getAction(this.context.service, request.actionId))) return false;
    const id = await this.takeUp(request, of);
    if (id === undefined) return false;
    await this.failure(id, failure);
    return true;
  }

  /** @returns undefined if this machine does not see the store: the checkpoint is good all the same */
  private async machine(reference: string): Promise<MachineFacts | undefined> {
    try {
      return (await this.context.store.manifest(reference)).machine;
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error;
      this.context.log.warn({ err: error, reference }, 'the manifest of a new checkpoint was not read');
      return undefined;
    }
  }

  /** Whether nothing else may be left of its workload. One that cannot be read is not removed either. */
  private async isLetGo(reference: string): Promise<boolean> {
    const manifest = await found(this.context.store.manifest(reference));
    return manifest === 'unusable' || (manifest !== 'missing' && manifest.workload.letGo === true);
  }

  /**
   * Nobody decided that it may go: the database was restored from a backup, or its cluster was deleted. In
   * the second case, the service says later that the bytes may be removed.
   */
  private keepUnknown(id: string, reference: string): false {
    this.context.log.warn({ checkpoint_id: id, reference }, 'the service does not know a checkpoint, which stays');
    this.context.say(
      `The service does not know the checkpoint ${reference}: it stays. ` +
        'Restore it with "ccp-agent run --restore", or remove it with "ccp-agent remove".',
    );
    return false;
  }

  /** @returns undefined if the service does not know it */
  private async statusOf(id: string): Promise<string | undefined> {
    const [row] = await listedCheckpoints(this.context.service, [id]);
    return row?.status;
  }
}

/** Of an answer: there is no such checkpoint, or action. */
const UNKNOWN = 404;

/** Whether the service refuses a report because it knows better, or knows nothing of what is reported. */
const isSettled = (error: unknown): error is ServiceProblem =>
  error instanceof ServiceProblem && [UNKNOWN, 409].includes(error.status);

/** For people. @param of what it is of */
export const failedText = (of: string, { message, cause }: FailureFacts): string =>
  `Checkpoint of ${of} failed: ${message} (${cause})`;

/** For people. */
export const resultText = ({ bytes, reference }: CheckpointResult, totalNs: number): string =>
  `${(bytes / BYTES_PER_MIB).toFixed(1)} MiB in ${(totalNs / NS_PER_MS).toFixed(0)} ms, ${reference}`;
