import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { profileNotFound } from '../profiles/profiles.errors';
import type { ProfileProgressView } from './profile-progress.dto';
import { lastStart, stepsSince } from './profile-progress.queries';

/** Before any start, every event is a step. */
const EVER = new Date(0);

/** The progress of a profile's start. */
@Injectable()
export class ProfileProgressService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  get(context: OrgContext, profileId: string): Promise<ProfileProgressView> {
    return this.unitOfWork.read(context, async (tx) => {
      const last = await lastStart(tx, profileId);
      if (!last) throw profileNotFound();
      const { began_at: beganAt, ready_at: readyAt } = last;
      const since = (moment: Date) => (beganAt === null ? null : moment.getTime() - beganAt.getTime());
      const steps = await stepsSince(tx, profileId, beganAt ?? EVER);
      return {
        profile_id: profileId,
        ready: last.ready ?? false,
        phase: last.phase,
        activation_started_at: beganAt,
        ready_at: readyAt,
        cold_start_ms: readyAt === null || last.beginning_seen !== true ? null : since(readyAt),
        restore_checkpoint_path: last.restore_checkpoint_path,
        start_kind: last.start_kind,
        steps: steps.map((step) => ({ elapsed_ms: since(step.occurred_at), ...step })),
      };
    });
  }
}
