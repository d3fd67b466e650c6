import { AgentFailure, type FailureFacts } from '../../../failures';
import { PLATFORM } from '../../../machine/platform';
import type { MachineFacts } from '../../../machine/machine-facts';
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
    private readonly context: Pick<ClusterContext, 'service' | 'store' | 'log'>,
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
   * `StoredCheckpoints` then finds out whether somebody decided that
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
      // A repeated report of a checkpoint that was ready before this process was killed.
      if (await this.isReady(id)) return true;
      log.warn({ checkpoint_id: id, code: error.code }, 'the checkpoint came too late');
      if (!isNeeded && !(await this.isLetGo(reference))) await store.remove(reference);
      return false;
    }
  }

  /** Removes what was stored for a checkpoint, unless the service has it. */
  async withdraw(id: string, { reference }: CheckpointResult): Promise<void> {
    if (await this.isReady(id)) return;
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

  private async isReady(ids: string): Promise<boolean> {
    const [row] = await this.context.service.send('list_checkpoints', (api) =>
      api.GET('/v1/checkpoints', { params: { query: { ids } } }),
    );
    return row?.status === 'ready';
  }
}

/** Whether the service refuses a report because it knows better. */
const isSettled = (error: unknown): error is ServiceProblem =>
  error instanceof ServiceProblem && [404, 409].includes(error.status);

/** For people. @param of what it is of */
export const failedText = (of: string, { message, cause }: FailureFacts): string =>
  `Checkpoint of ${of} failed: ${message} (${cause})`;

/** For people. */
export const resultText = ({ bytes, reference }: CheckpointResult, totalNs: number): string =>
  `${(bytes / BYTES_PER_MIB).toFixed(1)} MiB in ${(totalNs / NS_PER_MS).toFixed(0)} ms, ${reference}`;
