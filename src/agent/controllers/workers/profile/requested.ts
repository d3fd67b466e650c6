import { v5 } from 'uuid';
import { failureOf } from '../../../failures';
import { isProblem, isTransient } from '../../../service/problems';
import { pause } from '../../../service/retries';
import type { components } from '../../../service/schema';
import type { ClusterContext } from '../../common/cluster-context';
import type { Profile } from './worker-spec';

type CheckpointRequest = components['schemas']['CheckpointRequestView'];
type Update = Omit<components['schemas']['UpdateCheckpointRequestBody'], 'request_id'>;

const MAX_ERROR = 4_096;
/** Before a checkpoint is tried again of which the service did not learn. */
const AGAIN_MS = 1_000;

/** The checkpoint or the restart that somebody has requested for a profile, as the service knows it. */
export class Requested {
  private open: CheckpointRequest | undefined;
  private underWay: string | undefined;

  constructor(
    private readonly profile: Profile,
    private readonly context: Pick<ClusterContext, 'service' | 'signal'>,
  ) {}

  /** Reads it. */
  async look(): Promise<void> {
    const path = { profile_id: this.profile.profile_id };
    const hosting = await this.context.service.send('get_profile_hosting', (api) =>
      api.GET('/v1/inference/profiles/{profile_id}/hosting', { params: { path } }),
    );
    this.open = hosting.checkpoint_request ?? undefined;
  }

  /** Whether a checkpoint waits to be taken. */
  get wantsCheckpoint(): boolean {
    return this.open?.kind === 'checkpoint' && this.underWay !== this.open.request_id;
  }

  get restartId(): string | undefined {
    return this.open?.kind === 'restart' ? this.open.request_id : undefined;
  }

  /** Nothing can be done for it. */
  async refuse(why: string): Promise<void> {
    if (this.open && this.underWay === undefined) await this.report({ status: 'failed', error: why });
  }

  /**
   * Takes the requested checkpoint, if there is one and it is not under way.
   * @param take gets the id of the checkpoint, the same for each attempt; it returns that of the artifact
   */
  async checkpoint(take: (id: string) => Promise<string>): Promise<void> {
    const request = this.open;
    if (!request || !this.wantsCheckpoint) return;
    this.underWay = request.request_id;
    try {
      await this.begun();
      await this.report(
        { status: 'succeeded', artifact_id: await take(v5('checkpoint', request.request_id)) },
        request,
      );
    } catch (error) {
      this.context.signal.throwIfAborted();
      // The request stays open, and the next round takes it up again.
      if (isTransient(error)) {
        await pause(AGAIN_MS, this.context.signal);
        throw error;
      }
      await this.report({ status: 'failed', error: failureOf(error).message }, request);
    } finally {
      this.underWay = undefined;
    }
  }

  /** The work on it has begun. */
  async begun(): Promise<void> {
    if (this.open?.status === 'pending') await this.report({ status: 'running' });
  }

  async restarted(outcome: { readonly error: string } | { readonly artifactId: string | undefined }): Promise<void> {
    await this.report(
      'error' in outcome
        ? { status: 'failed', error: outcome.error }
        : { status: 'succeeded', artifact_id: outcome.artifactId },
    );
  }

  private async report(update: Update, request = this.open): Promise<void> {
    if (!request) return;
    const path = { profile_id: this.profile.profile_id };
    const error = update.error?.slice(0, MAX_ERROR);
    const body = { ...update, ...(error === undefined ? {} : { error }), request_id: request.request_id };
    try {
      const { status } = await this.context.service.send('update_profile_checkpoint', (api) =>
        api.PATCH('/v1/inference/profiles/{profile_id}/checkpoint', { params: { path }, body }),
      );
      if (this.open?.request_id !== request.request_id) return;
      this.open = update.status === 'running' ? { ...request, status } : undefined;
    } catch (problem) {
      // Another attempt, or an end that the service has decided itself: it knows better.
      if (!isProblem(problem, 'another_attempt', 'another_artifact', 'checkpoint_request_state_conflict'))
        throw problem;
      if (this.open?.request_id === request.request_id) this.open = undefined;
    }
  }
}
