import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { KeyVerifier } from '../../1-platform/auth/bearers/key-verifier';
import type { Usd } from '../../1-platform/common/money';
import { unavailable } from '../../1-platform/common/answers/problem';
import { recentlyUsed } from '../../1-platform/common/work/recently-used';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { AdmissionLanes } from './admission-lanes';
import {
  lookAtAuthorization,
  refusalOfKey,
  resolveAuthorization,
  type Admission,
  type AskedAdmission,
  type Refused,
  type Resolution,
  type Unresolvable,
} from './admissions.queries';
import { releaseExpired } from './settlements.queries';

/**
 * The pauses before each try to admit a request whose authorization expired, and is closed after each try.
 * Others may hold it for a moment, above all those that repeat the same request.
 */
const RENEWAL_PAUSES_MS = [0, 0, 10, 20, 40];

/** A key whose budget refused a request counts as short of it for this long. */
const LACKS_BUDGET_MS = 1_000;
const MAX_POOR_KEYS = 10_000;

/**
 * Admits requests of keys, exactly over all replicas: the maximal cost is reserved before a request is sent.
 */
@Injectable()
export class AdmissionsService implements OnModuleInit {
  /** By organisation, while requests of it wait for their admission. */
  private readonly lanes = new Map<string, AdmissionLanes>();
  /** By key, until when (of `performance.now`) its rate admits nothing, according to the database. */
  private readonly refusedUntil = new Map<string, number>();
  /** Keys whose budget has just refused a request. */
  private readonly poor = recentlyUsed<true>({ most: MAX_POOR_KEYS, ttl: LACKS_BUDGET_MS });
  /** Counts changes of keys: a refusal that one of them overtook may be by the rate before. */
  private changes = 0;

  constructor(
    private readonly statements: StatementPool,
    private readonly keys: KeyVerifier,
  ) {}

  onModuleInit(): void {
    this.keys.onChange((keyId) => {
      this.changes++;
      this.refusedUntil.delete(keyId);
    });
  }

  /**
   * Hot path: one statement, shared with requests of the organisation that arrived while another one ran.
   * @param repeatable its id is the caller's, who may retry: what was admitted under it stands, whatever the
   * rate is now
   */
  async admit(
    orgId: string,
    asked: AskedAdmission,
    repeatable: boolean,
  ): Promise<Exclude<Admission, { outcome: 'expired' }>> {
    const lanes = this.lanes.get(orgId) ?? this.open(orgId);
    try {
      // A flood is refused here without the lock of the key. This can only admit later than possible, never
      // too early.
      const waitMs = this.refusedForMs(asked.keyId);
      if (waitMs > 0) {
        const before = repeatable ? await lanes.before(asked) : undefined;
        return before && before.outcome !== 'expired' ? before : { outcome: 'rate', waitMs };
      }
      const { changes } = this;
      const admission = await this.admitted(orgId, lanes, asked);
      if (admission.outcome === 'rate' && changes === this.changes) this.refuse(asked.keyId, admission.waitMs);
      if (admission.outcome === 'budget') this.poor.set(asked.keyId, true);
      return admission;
    } finally {
      if (lanes.idle && this.lanes.get(orgId) === lanes) this.lanes.delete(orgId);
    }
  }

  /**
   * How long the rate of a key admits nothing, according to the database's last answer; 0 if it may admit a
   * request.
   */
  refusedForMs(keyId: string): number {
    return Math.max((this.refusedUntil.get(keyId) ?? 0) - performance.now(), 0);
  }

  /** Whether the budget of a key has refused a request within the last second. It may cover another one. */
  lacksBudget(keyId: string): boolean {
    return this.poor.has(keyId);
  }

  /**
   * Asks, before more work for a request, whether its key would be refused in any case.
   * @param atLeastUsd the minimal cost of the request
   */
  refusal(orgId: string, keyId: string, atLeastUsd: Usd): Promise<Refused | undefined> {
    return refusalOfKey(this.statements, orgId, keyId, atLeastUsd);
  }

  /**
   * Marks an authorization as sent to a profile: from then on it may cost something.
   * @returns the obstacle, if any
   */
  async resolve(orgId: string, resolution: Resolution): Promise<Unresolvable | undefined> {
    if (await resolveAuthorization(this.statements, orgId, resolution)) return undefined;
    const { authorizationId, requestId, logicalModel } = resolution;
    const { found } = await this.look(orgId, authorizationId, requestId, logicalModel);
    // It was not open when this needed it: another request held it.
    return found === 'open' ? 'consumed' : found;
  }

  /** The result that `resolve` would have, and the age of the authorization. */
  look(
    orgId: string,
    authorizationId: string,
    requestId: string,
    logicalModel: string,
  ): ReturnType<typeof lookAtAuthorization> {
    return lookAtAuthorization(this.statements, orgId, authorizationId, requestId, logicalModel);
  }

  /** An expired, unused authorization makes room for a new one of its request once it is closed. */
  private async admitted(
    orgId: string,
    lanes: AdmissionLanes,
    asked: AskedAdmission,
  ): Promise<Exclude<Admission, { outcome: 'expired' }>> {
    for (const pauseMs of RENEWAL_PAUSES_MS) {
      if (pauseMs > 0) await sleep(pauseMs);
      const admission = await lanes.admit(asked);
      if (admission.outcome !== 'expired') return admission;
      await releaseExpired(this.statements, orgId, asked.requestId);
    }
    throw unavailable(
      'authorization_busy',
      'The previous authorization of this request is still being closed; try again.',
    );
  }

  private open(orgId: string): AdmissionLanes {
    const lanes = new AdmissionLanes(this.statements, orgId);
    this.lanes.set(orgId, lanes);
    return lanes;
  }

  private refuse(keyId: string, waitMs: number): void {
    const until = Math.max(this.refusedUntil.get(keyId) ?? 0, performance.now() + waitMs);
    this.refusedUntil.set(keyId, until);
    const forget = () => {
      if (this.refusedForMs(keyId) === 0) this.refusedUntil.delete(keyId);
    };
    setTimeout(forget, waitMs + 1).unref();
  }
}
