import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ArtifactsService } from '../artifacts/artifacts.service';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../1-platform/outbox/outbox';
import type { ProfileRow } from '../profiles/profiles.queries';
import { ProfilesService } from '../profiles/profiles.service';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { mayMove } from './profile-checkpoint.states';
import type { RequestCheckpointBody, UpdateCheckpointRequestBody } from './profile-checkpoints.dto';
import {
  anotherArtifact,
  anotherAttempt,
  neverRequested,
  nothingToRestore,
  profileDoesNotCheckpoint,
  requestMovesBack,
} from './profile-checkpoints.errors';
import { REQUEST_EVENTS } from './profile-checkpoints.events';
import {
  findOpenRequest,
  giveUpRequests,
  GIVEN_UP_AT_ONCE,
  latestRequest,
  moveRequest,
  nameArtifact,
  openRequest,
  type CheckpointRequestRow,
  type NewRequest,
} from './profile-checkpoints.queries';

const EVERY_SECONDS = 10;

/** After this time without a result, the controller is considered to have lost the checkpoint. */
const RUNNING_SECONDS = 24 * 3_600;

/** Checkpoints and restarts that operators request for profiles. */
@Injectable()
export class ProfileCheckpointsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
    private readonly artifacts: ArtifactsService,
    private readonly sweeps: Sweeps,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'checkpoint requests', everySeconds: EVERY_SECONDS, run: () => this.giveUp() });
  }

  /** @returns the open request: a new one, or the existing one, whatever its kind */
  checkpoint(context: OrgContext, profileId: string, body: RequestCheckpointBody): Promise<CheckpointRequestRow> {
    const { reason = null, replace_existing: replaceExisting = true } = body;
    return this.open(context, { profileId, kind: 'checkpoint', replaceExisting, reason }, ({ checkpoints }) => {
      if (!checkpoints) throw profileDoesNotCheckpoint();
    });
  }

  /** As `checkpoint`. Replaces the worker by one that is restored from the last checkpoint. */
  restart(context: OrgContext, profileId: string): Promise<CheckpointRequestRow> {
    const request = { profileId, kind: 'restart', replaceExisting: true, reason: null } as const;
    return this.open(context, request, async (_, tx) => {
      if (!(await this.artifacts.hasRestorable(tx, profileId))) throw nothingToRestore();
    });
  }

  latest(context: OrgContext, profileId: string): Promise<CheckpointRequestRow> {
    return this.unitOfWork.read(context, async (tx) => {
      await this.profiles.check(tx, profileId);
      const request = await latestRequest(tx, profileId);
      if (!request) throw neverRequested();
      return request;
    });
  }

  /** The hosting of a profile, with its open request. */
  hosting(
    context: OrgContext,
    profileId: string,
  ): Promise<{ profile: ProfileRow; request: CheckpointRequestRow | undefined }> {
    return this.unitOfWork.read(context, async (tx) => ({
      profile: await this.profiles.known(tx, profileId),
      request: await findOpenRequest(tx, profileId),
    }));
  }

  /** Only for the last attempt, and only forwards; a repetition gets the first reply. */
  update(context: OrgContext, profileId: string, body: UpdateCheckpointRequestBody): Promise<CheckpointRequestRow> {
    const { status: to, artifact_id: artifactId = null, error } = body;
    return this.audit.change(context, async (tx, record) => {
      // Reports on one profile run one after the other.
      await this.profiles.lock(tx, profileId);
      const latest = await latestRequest(tx, profileId);
      if (!latest) throw neverRequested();
      const { request_id: requestId, status: from } = latest;
      if (requestId !== body.request_id.toLowerCase()) throw anotherAttempt();
      await record({ resourceType: 'checkpoint_request', resourceId: requestId, details: { from, status: to } });
      if (from === to && to === 'succeeded' && artifactId !== null && artifactId !== latest.artifact_id) {
        const named = await nameArtifact(tx, requestId, artifactId);
        if (!named) throw anotherArtifact();
        return named;
      }
      if (from === to) return latest;
      if (!mayMove(from, to)) throw requestMovesBack(from, to);
      const moved = await moveRequest(tx, requestId, { from, to, artifactId, error: error || 'no reason was given' });
      if (!moved) throw requestMovesBack(from, to);
      return moved;
    });
  }

  private open(
    context: OrgContext,
    request: Omit<NewRequest, 'requestId'>,
    check: (profile: ProfileRow, tx: Tx) => void | Promise<void>,
  ): Promise<CheckpointRequestRow> {
    const { profileId } = request;
    return this.audit.change(context, async (tx, record) => {
      const profile = await this.profiles.known(tx, profileId);
      let open = await findOpenRequest(tx, profileId);
      if (!open) {
        await check(profile, tx);
        const requestId = newId();
        open = await openRequest(tx, { requestId, ...request });
        if (open.request_id === requestId) {
          const payload = { request_id: requestId, profile_id: profileId, kind: request.kind };
          await appendEvent(tx, { type: REQUEST_EVENTS.created, aggregateId: requestId, clusterId: null, payload });
        }
      }
      const details = { profile_id: profileId, kind: request.kind };
      await record({ resourceType: 'checkpoint_request', resourceId: open.request_id, details });
      return open;
    });
  }

  private async giveUp(): Promise<number | void> {
    const patience = { pendingSeconds: this.environment.checkpointTimeoutSeconds, runningSeconds: RUNNING_SECONDS };
    const given = await this.unitOfWork.system('requests of every organisation grow old', (tx) =>
      giveUpRequests(tx, patience),
    );
    return given === GIVEN_UP_AT_ONCE ? 0 : undefined;
  }
}
