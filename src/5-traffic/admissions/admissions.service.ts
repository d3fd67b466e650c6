import { Injectable } from '@nestjs/common';
import type { Usd } from '../../1-platform/common/money';
import { unavailable } from '../../1-platform/common/answers/problem';
import { Batches } from '../../1-platform/common/work/batches';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import {
  admit,
  admittedBefore,
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

/** How often an expired authorization is closed before its request is refused. */
const MAX_RENEWALS = 3;

/** Maximal requests of one key that one statement admits. */
const MAX_BATCH = 128;

interface Lane {
  readonly batches: Batches<AskedAdmission, Admission>;
  /** What was admitted under an id before. */
  readonly known: Batches<AskedAdmission, Admission | undefined>;
  /** Until then (of `performance.now`) the rate admits no request, according to the database. */
  refusedUntil: number;
}

/**
 * Admits requests of keys, exactly over all replicas: the maximal cost is reserved before a request is sent.
 */
@Injectable()
export class AdmissionsService {
  /** By key, while its requests are in flight or its rate is used up. */
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly statements: StatementPool) {}

  /**
   * Hot path: one statement, shared with requests of the key that arrived while the previous one ran.
   * @param repeatable its id is the caller's, who may retry: what was admitted under it stands, whatever the
   * rate is now
   */
  async admit(
    orgId: string,
    keyId: string,
    asked: AskedAdmission,
    repeatable: boolean,
  ): Promise<Exclude<Admission, { outcome: 'expired' }>> {
    const lane = this.lanes.get(keyId) ?? this.open(orgId, keyId);
    // A flood is refused here without the lock of the key. This can only admit later than possible, never too
    // early.
    const waitMs = lane.refusedUntil - performance.now();
    if (waitMs > 0) {
      const before = repeatable ? await lane.known.add(asked) : undefined;
      return before && before.outcome !== 'expired' ? before : { outcome: 'rate', waitMs };
    }
    try {
      const admission = await this.admitted(orgId, lane, asked);
      if (admission.outcome === 'rate') {
        lane.refusedUntil = Math.max(lane.refusedUntil, performance.now() + admission.waitMs);
        setTimeout(() => this.close(keyId, lane), admission.waitMs).unref();
      }
      return admission;
    } finally {
      this.close(keyId, lane);
    }
  }

  /**
   * How long the rate of a key admits nothing, according to the database's last answer; 0 if it may admit a
   * request.
   */
  refusedForMs(keyId: string): number {
    const lane = this.lanes.get(keyId);
    return lane ? Math.max(lane.refusedUntil - performance.now(), 0) : 0;
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
    lane: Lane,
    asked: AskedAdmission,
  ): Promise<Exclude<Admission, { outcome: 'expired' }>> {
    for (let attempt = 1; attempt <= MAX_RENEWALS; attempt++) {
      const admission = await lane.batches.add(asked);
      if (admission.outcome !== 'expired') return admission;
      await releaseExpired(this.statements, orgId, asked.requestId);
    }
    throw unavailable(
      'authorization_busy',
      'The previous authorization of this request is still being closed; try again.',
    );
  }

  private open(orgId: string, keyId: string): Lane {
    const work = (asked: readonly AskedAdmission[]) => admit(this.statements, orgId, keyId, asked);
    const look = (asked: readonly AskedAdmission[]) => admittedBefore(this.statements, orgId, keyId, asked);
    const lane: Lane = {
      batches: new Batches(work, { maxItems: MAX_BATCH }),
      known: new Batches(look, { maxItems: MAX_BATCH }),
      refusedUntil: 0,
    };
    this.lanes.set(keyId, lane);
    return lane;
  }

  private close(keyId: string, lane: Lane): void {
    if (lane.batches.size === 0 && lane.refusedUntil <= performance.now() && this.lanes.get(keyId) === lane)
      this.lanes.delete(keyId);
  }
}
