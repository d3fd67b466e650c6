import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ProfilesService } from '../profiles/profiles.service';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { ActivationBudgets } from './capacity-intents.ports';
import { defaultReplicas } from './capacity-intent.states';
import type { CapacityIntentView, SetProfileStateBody } from './capacity-intents.dto';
import { ask, judgeAll, JUDGED_AT_ONCE, judgeProfile, listLatestIntents } from './capacity-intents.queries';

/**
 * Pause between two sweeps for changes that no report triggers: an intent ends within 5 seconds of its
 * deadline.
 */
const EVERY_SECONDS = 2;

/** What is wanted of profiles, and what has become of it. */
@Injectable()
export class CapacityIntentsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
    private readonly budgets: ActivationBudgets,
    private readonly sweeps: Sweeps,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'capacity intents', everySeconds: EVERY_SECONDS, run: () => this.judge() });
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
      // An ended intent is no longer requested.
      await judgeProfile(tx, profileId);
      if (desiredState === 'Active' && desiredReplicas > 0)
        await this.budgets.check(tx, { profileId, replicas: desiredReplicas });
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

  /** Ends intents by the clock, and those whose report and request missed each other. */
  private async judge(): Promise<number | void> {
    const ended = await this.unitOfWork.system('intents of every organisation come true or expire', judgeAll);
    return ended === JUDGED_AT_ONCE ? 0 : undefined;
  }
}
