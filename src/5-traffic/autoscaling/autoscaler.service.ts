import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../1-platform/common/logger';
import { Notifications } from '../../1-platform/database/connections/notifications';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { CapacityIntentsService } from '../../4-serving/capacity-intents/capacity-intents.service';
import { ProfileLoads } from '../routes/choice/profile-loads';
import { readScaledProfiles, type ScaledProfileRow } from './autoscaling.queries';
import { DemandHistory } from './demand-history';
import { decideScale, STEADY_MS, type ScalingDecision } from './scaling-rule';

/** How often demand is looked at, and profiles are read. */
const TICK_MS = 250;
const READ_EVERY_MS = 2_000;

/** After a failure, or a refusal by a budget, nothing is requested for this long. */
const RESTS_MS = 30_000;

/** A profile, and when it was read. Times are of `performance.now`. */
interface Scaled {
  readonly row: ScaledProfileRow;
  readonly readAt: number;
  history: DemandHistory;
  restsUntil: number;
  /** What was decided on this row is not known yet. */
  isDecided: boolean;
}

const watchedFrom = (now: number): DemandHistory => new DemandHistory(STEADY_MS, now);

/**
 * Requests as many replicas of a profile as its requests need. Every replica of the service sees the demand
 * at all of them and decides for itself; a decision is written only if nobody has requested anything since
 * the state that it was made on. So there is one decision, whoever makes it.
 */
@Injectable()
export class Autoscaler implements OnModuleInit, OnApplicationShutdown {
  private profiles = new Map<string, Scaled>();
  private timer: NodeJS.Timeout | undefined;
  private readAt = -Infinity;
  private ticking = false;
  private stopped = false;
  /** It may have missed the demand at other replicas of the service. */
  private missed = false;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly intents: CapacityIntentsService,
    private readonly loads: ProfileLoads,
    private readonly notifications: Notifications,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.notifications.onResumed(() => (this.missed = true));
  }

  /** Its process starts it, once it listens. */
  start(): void {
    this.timer = setInterval(() => void this.tick(performance.now()), TICK_MS).unref();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  /** One look at all profiles, if the last one has ended. @param now of `performance.now` */
  async tick(now: number): Promise<void> {
    if (this.stopped || this.ticking) return;
    this.ticking = true;
    try {
      if (now - this.readAt >= READ_EVERY_MS) await this.read(now);
      if (this.missed) for (const scaled of this.profiles.values()) scaled.history = watchedFrom(now);
      this.missed = false;
      // One after the other: decisions take connections, and many profiles may become idle at once.
      for (const scaled of this.profiles.values()) await this.look(scaled, now);
    } finally {
      this.ticking = false;
    }
  }

  private async read(now: number): Promise<void> {
    this.readAt = now;
    try {
      const rows = await this.unitOfWork.system('profiles of every organisation are scaled', readScaledProfiles);
      const before = this.profiles;
      this.profiles = new Map(
        rows.map((row) => {
          const key = `${row.org_id}\0${row.profile_id}`;
          const { history = watchedFrom(now), restsUntil = -Infinity } = before.get(key) ?? {};
          return [key, { row, readAt: now, history, restsUntil, isDecided: false }];
        }),
      );
    } catch (error) {
      this.logger.debug({ err: error }, 'the profiles that are scaled could not be read');
    }
  }

  private async look(scaled: Scaled, now: number): Promise<void> {
    const { row, readAt, history } = scaled;
    const { running, waiting } = this.loads.demand(row.org_id, row.profile_id);
    // What external routers have in progress requests no replicas, and keeps those that it needs.
    history.add(Math.max(running + waiting, row.unreported), now);
    const age = now - readAt;
    if (this.stopped || scaled.isDecided || now < scaled.restsUntil) return;
    if (row.status === 'Failed' && row.updated_ms_ago + age < RESTS_MS) return;
    const upForMs = Math.min(row.requested_ms_ago, row.ready_ms_ago ?? row.requested_ms_ago) + age;
    const decision = decideScale(
      {
        minReplicas: row.min_replicas,
        maxReplicas: row.max_replicas,
        targetConcurrency: row.target_concurrency,
        idleMs: row.scale_down_idle_seconds * 1_000,
      },
      {
        replicas: row.desired_replicas,
        enabled: row.enabled,
        pending: row.status === 'Pending',
        expired: row.status === 'Expired',
        upForMs,
        running,
        waiting,
        // What others have in progress is not known.
        peak: this.notifications.isListening && !this.missed ? history.peak(now) : undefined,
        // A look sees only what is in flight at its moment. A classifier's own requests leave no record.
        idleForMs: Math.min(
          history.idleForMs(now),
          this.loads.unusedForMs(row.org_id, row.profile_id, now),
          row.used_ms_ago === null ? Infinity : row.used_ms_ago + age,
        ),
      },
    );
    if (decision) await this.decide(scaled, decision, now);
  }

  private async decide(scaled: Scaled, decision: ScalingDecision, now: number): Promise<void> {
    const { org_id: orgId, profile_id: profileId, generation, requested_at: requestedAt } = scaled.row;
    // Whoever decides: the next look is at what was requested.
    scaled.isDecided = true;
    try {
      const outcome = await this.intents.scale(orgId, { profileId, generation, requestedAt, ...decision });
      if (outcome === 'refused') scaled.restsUntil = now + RESTS_MS;
    } catch (error) {
      scaled.restsUntil = now + RESTS_MS;
      this.logger.warn({ err: error, profile: profileId }, 'a profile could not be scaled');
    }
  }
}
