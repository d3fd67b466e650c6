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

/** How often an authorization that has expired is closed before its request is refused. */
const MAX_RENEWALS = 3;

/** Requests of one key that one statement admits. */
const MAX_BATCH = 128;

interface Lane {
  readonly batches: Batches<AskedAdmission, Admission>;
  /** What was admitted under an id before. */
  readonly known: Batches<AskedAdmission, Admission | undefined>;
  /** Until then (of `performance.now`) the database has said that the rate admits none. */
  refusedUntil: number;
}

/**
 * Admits requests of keys, exactly over all replicas: what a request may cost is set aside before it is sent.
 */
@Injectable()
export class AdmissionsService {
  /** By key, while requests of it are under way or its rate is used up. */
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly statements: StatementPool) {}

  /**
   * Hot: one statement, which it shares with the requests of the key
   * that came in while the one before it was under way.
   * @param repeatable its id is the caller's, who may ask again: what was
   * admitted under it stands, whatever the rate says now
   */
  async admit(
    orgId: string,
    keyId: string,
    asked: AskedAdmission,
    repeatable: boolean,
  ): Promise<Exclude<Admission, { outcome: 'expired' }>> {
    const lane = this.lanes.get(keyId) ?? this.open(orgId, keyId);
    // Whoever floods does so here, without taking turns on the
    // key: it can only admit later than it might have.
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

  /** How long the rate of a key admits nothing, as the database said last; 0 if it may admit a request. */
  refusedForMs(keyId: string): number {
    const lane = this.lanes.get(keyId);
    return lane ? Math.max(lane.refusedUntil - performance.now(), 0) : 0;
  }

  /**
   * Asks, before more is done for a request, whether its key
   * would be refused whatever the request is in detail.
   * @param atLeastUsd what the request costs at least
   */
  refusal(orgId: string, keyId: string, atLeastUsd: Usd): Promise<Refused | undefined> {
    return refusalOfKey(this.statements, orgId, keyId, atLeastUsd);
  }

  /**
   * Marks an authorization as sent to a profile: from then on it may cost something.
   * @returns what stands in the way, if anything
   */
  async resolve(orgId: string, resolution: Resolution): Promise<Unresolvable | undefined> {
    if (await resolveAuthorization(this.statements, orgId, resolution)) return undefined;
    const { authorizationId, requestId, logicalModel } = resolution;
    const { found } = await this.look(orgId, authorizationId, requestId, logicalModel);
    // It was not open when this wanted it: somebody had it in hand.
    return found === 'open' ? 'consumed' : found;
  }

  /** What `resolve` would say, and how old the authorization is. */
  look(
    orgId: string,
    authorizationId: string,
    requestId: string,
    logicalModel: string,
  ): ReturnType<typeof lookAtAuthorization> {
    return lookAtAuthorization(this.statements, orgId, authorizationId, requestId, logicalModel);
  }

  /** An authorization that has expired unused makes room for a new one of its request, once it is closed. */
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
      'The authorization that this request had before is still being closed; try again.',
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
