import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActivationsService } from '../activations/activations.service';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ProfilesService } from '../profiles/profiles.service';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { defaultReplicas } from './capacity-intent.states';
import type { CapacityIntentView, SetProfileStateBody } from './capacity-intents.dto';
import {
  ask,
  judgeAll,
  JUDGED_AT_ONCE,
  judgeProfile,
  judgeReported,
  listLatestIntents,
} from './capacity-intents.queries';

/** Pause between two looks at what nobody reports of: an intent ends within 5 seconds of its deadline. */
const EVERY_SECONDS = 2;

/** So many replicas of a profile that are to be active, at least one. */
export interface Activation {
  readonly profileId: string;
  readonly replicas: number;
}

/**
 * Looks at an activation before it is asked for. The profile
 * is locked. @throws a conflict where it may not be
 */
export type ActivationGuard = (tx: Tx, activation: Activation) => Promise<void>;

/** What is wanted of profiles, and what has become of it. */
@Injectable()
export class CapacityIntentsService implements OnModuleInit {
  private guard: ActivationGuard = () => Promise.resolve();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly statements: StatementPool,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
    private readonly activations: ActivationsService,
    private readonly sweeps: Sweeps,
  ) {}

  onModuleInit(): void {
    this.activations.observe(({ orgId }, profileId) => judgeReported(this.statements, orgId, profileId));
    this.sweeps.add({ name: 'capacity intents', everySeconds: EVERY_SECONDS, run: () => this.judge() });
  }

  /** For the domain that knows what activations may cost, which this one does not know. */
  guardedBy(guard: ActivationGuard): void {
    this.guard = guard;
  }

  setState(context: OrgContext, profileId: string, body: SetProfileStateBody): Promise<CapacityIntentView> {
    const { desired_state: desiredState, deadline_ms: deadlineMs } = body;
    const desiredReplicas = body.desired_replicas ?? defaultReplicas(desiredState);
    if (desiredState === 'Suspended' && desiredReplicas !== 0)
      throw invalidField('desired_replicas', 'must be 0 for Suspended');
    return this.audit.change(context, async (tx, record) => {
      const { max_replicas: maxReplicas } = await this.profiles.lock(tx, profileId);
      if (desiredReplicas > maxReplicas)
        throw invalidField('desired_replicas', `must be at most ${maxReplicas}, the max_replicas of the profile`);
      // What has ended is not what is wanted still.
      await judgeProfile(tx, profileId);
      if (desiredState === 'Active' && desiredReplicas > 0)
        await this.guard(tx, { profileId, replicas: desiredReplicas });
      const wanted = { profileId, newId: newId(), desiredState, desiredReplicas, deadlineMs: deadlineMs ?? null };
      const intent = await ask(tx, wanted);
      const { status, generation } = intent;
      const details = { desired_state: desiredState, desired_replicas: desiredReplicas, status, generation };
      await record({
        resourceType: 'capacity_intent',
        resourceId: intent.id,
        details: { profile_id: profileId, ...details },
      });
      return intent;
    });
  }

  list(context: OrgContext, query: PageQuery): Promise<Page<CapacityIntentView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listLatestIntents(tx, slice));
  }

  /** What passes by the clock, and what a report and an ask at the same moment did not see of each other. */
  private async judge(): Promise<number | void> {
    const ended = await this.unitOfWork.system('intents of every organisation come true or expire', judgeAll);
    return ended === JUDGED_AT_ONCE ? 0 : undefined;
  }
}
