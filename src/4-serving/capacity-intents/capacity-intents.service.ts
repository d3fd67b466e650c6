import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditTrail, type Author } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import type { OfProfileQuery } from '../profiles/profiles.dto';
import { invalidField, Problem } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ProfilesService } from '../profiles/profiles.service';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { ActivationBudgets } from './capacity-intents.ports';
import { defaultReplicas } from './capacity-intent.states';
import type { CapacityIntentView, SetProfileStateBody } from './capacity-intents.dto';
import {
  ask,
  judgeAll,
  JUDGED_AT_ONCE,
  judgeProfile,
  listLatestIntents,
  newestIntent,
  type NewestIntent,
} from './capacity-intents.queries';

/**
 * Pause between two sweeps for changes that no report triggers: an intent ends within 5 seconds of its
 * deadline.
 */
const EVERY_SECONDS = 2;

/** The actor of requests that the service makes itself. */
const AUTOSCALING = 'autoscaling';

/** What an intent requests and still stands for; 0 if that is nothing. Budgets count no more of it. */
const standingReplicas = (intent: NewestIntent | undefined): number =>
  intent?.status === 'Pending' || intent?.status === 'Fulfilled' ? intent.desired_replicas : 0;

const budgetAllows = (replicas: number): string => `A budget allows ${replicas}.`;

/** A change that the service wants. */
export interface Scaling {
  readonly profileId: string;
  /** Of the newest intent, as it was when this was decided. */
  readonly generation: number;
  readonly requestedAt: Date;
  /** 0: suspended. */
  readonly replicas: number;
  readonly reason: string;
}

/** `overtaken`: somebody requested something meanwhile. `refused`: a budget forbids any more. */
export type ScalingOutcome = 'requested' | 'overtaken' | 'refused';

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

  /**
   * Requests at least so many replicas: what is requested stays requested, whatever the budgets allow now. If
   * they do not allow all of the further ones, as many are requested as they allow.
   * @throws a conflict if it allows none
   */
  wake(context: OrgContext, profileId: string, replicas: number): Promise<CapacityIntentView> {
    return this.request(context, profileId, { desired_state: 'Active', desired_replicas: replicas }, async (tx) => {
      const stands = standingReplicas(await newestIntent(tx, profileId));
      const wanted = Math.max(replicas, stands);
      const affordable = await this.affordable(tx, profileId, stands, wanted);
      if (affordable === 0) await this.budgets.check(tx, { profileId, replicas: 1 });
      return { replicas: affordable, reason: affordable < wanted ? budgetAllows(affordable) : null };
    });
  }

  setState(context: OrgContext, profileId: string, body: SetProfileStateBody): Promise<CapacityIntentView> {
    return this.request(context, profileId, body, async (tx, replicas) => {
      if (body.desired_state === 'Active' && replicas > 0) await this.budgets.check(tx, { profileId, replicas });
      return { replicas, reason: null };
    });
  }

  /**
   * @param decide how many replicas to request, and why if that is not what was asked for, while nobody else
   * can request any for the profile
   */
  private request(
    context: OrgContext,
    profileId: string,
    body: SetProfileStateBody,
    decide: (tx: Tx, asked: number) => Promise<{ replicas: number; reason: string | null }>,
  ): Promise<CapacityIntentView> {
    const { desired_state: desiredState, deadline_ms: deadlineMs } = body;
    const asked = body.desired_replicas ?? defaultReplicas(desiredState);
    if (desiredState === 'Suspended' && asked !== 0) throw invalidField('desired_replicas', 'must be 0 for Suspended');
    return this.audit.change(context, async (tx, record) => {
      const { max_replicas: maxReplicas } = await this.profiles.lock(tx, profileId);
      if (asked > maxReplicas)
        throw invalidField('desired_replicas', `must be at most ${maxReplicas}, the max_replicas of the profile`);
      // An ended intent is no longer requested.
      await judgeProfile(tx, profileId);
      const { replicas: desiredReplicas, reason } = await decide(tx, asked);
      const intent = await ask(tx, {
        profileId,
        newId: newId(),
        desiredState,
        desiredReplicas,
        deadlineMs: deadlineMs ?? null,
        reason,
      });
      const { status, generation } = intent;
      const details = {
        desired_state: desiredState,
        desired_replicas: desiredReplicas,
        status,
        generation,
        ...(reason === null ? {} : { reason }),
      };
      await record({
        resourceType: 'capacity_intent',
        resourceId: intent.id,
        details: { profile_id: profileId, ...details },
      });
      return intent;
    });
  }

  /**
   * A request of the service's own. It is written only if nobody has requested anything else meanwhile. If a
   * budget does not allow all of the further replicas, as many are requested as it allows.
   */
  async scale(orgId: string, wanted: Scaling): Promise<ScalingOutcome> {
    const { profileId } = wanted;
    const author: Author = {
      orgId,
      actorId: AUTOSCALING,
      role: 'service',
      operation: 'scale_profile',
      requestId: newId(),
    };
    return this.unitOfWork.run(author, async (tx) => {
      await this.profiles.lock(tx, profileId);
      await judgeProfile(tx, profileId);
      const newest = await newestIntent(tx, profileId);
      // A repeated request keeps the generation, and is younger.
      if (newest?.generation !== wanted.generation || newest.requested_at > wanted.requestedAt) return 'overtaken';
      const replicas = await this.affordable(tx, profileId, standingReplicas(newest), wanted.replicas);
      // A budget that allows nothing suspends nothing. What has expired starts nothing before it is renewed.
      const isSame = replicas === newest.desired_replicas && newest.status !== 'Expired';
      if (replicas < wanted.replicas && (replicas === 0 || isSame)) return 'refused';
      const reason = replicas < wanted.replicas ? `${wanted.reason} ${budgetAllows(replicas)}` : wanted.reason;
      const desiredState = replicas === 0 ? 'Suspended' : 'Active';
      await this.audit.change(author, async (joined, record) => {
        const intent = await ask(joined, {
          profileId,
          newId: newId(),
          desiredState,
          desiredReplicas: replicas,
          deadlineMs: null,
          reason,
        });
        const details = { profile_id: profileId, desired_state: desiredState, desired_replicas: replicas, reason };
        await record({ resourceType: 'capacity_intent', resourceId: intent.id, details });
      });
      return 'requested';
    });
  }

  /** The most replicas up to the wanted number that the budgets allow: more cost more. */
  private async affordable(tx: Tx, profileId: string, now: number, wanted: number): Promise<number> {
    if (wanted <= now || (await this.allows(tx, profileId, wanted))) return wanted;
    let [most, tooMany] = [now, wanted];
    while (tooMany - most > 1) {
      const middle = Math.floor((most + tooMany) / 2);
      if (await this.allows(tx, profileId, middle)) most = middle;
      else tooMany = middle;
    }
    return most;
  }

  private async allows(tx: Tx, profileId: string, replicas: number): Promise<boolean> {
    try {
      await this.budgets.check(tx, { profileId, replicas });
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  list(context: OrgContext, query: OfProfileQuery): Promise<Page<CapacityIntentView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listLatestIntents(tx, slice, query.profile_id));
  }

  /** Ends intents by the clock, and those whose report and request missed each other. */
  private async judge(): Promise<number | void> {
    const ended = await this.unitOfWork.system('intents of every organisation come true or expire', judgeAll);
    return ended === JUDGED_AT_ONCE ? 0 : undefined;
  }
}
