import { invariant } from '../../1-platform/common/invariant';
import { Batches } from '../../1-platform/common/work/batches';
import { isAway, isLockBusy, isRetryable } from '../../1-platform/database/connections/database-errors';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { admit, admittedBefore, type Admission, type AskedAdmission, type Patience } from './admissions.queries';

/** Maximal requests that one statement admits. */
const MAX_BATCH = 128;
/** Those of one key among them: the rest is for other keys, however many requests the key has. */
const MAX_OF_KEY = 64;

/** A statement of one key that took less waited for nobody. */
const UNDELAYED_MS = 50;

/** Others hold the row of its key, or it shared a statement that failed. */
type Undecided = 'busy' | 'apart';

interface Failed {
  readonly outcome: 'failed';
  readonly error: unknown;
}

/** The lane of one key. */
interface Lane {
  readonly batches: Batches<AskedAdmission, Admission | Undecided | Failed>;
  /** Whether its last statement waited for others, or failed: meanwhile, new requests join the lane. */
  delayed: boolean;
}

/**
 * Requests of one organisation that wait for their admission. All keys share statements, which wait for no
 * key. Requests of keys whose rows others hold share others, which wait for a moment: usually a settlement or
 * another replica holds them. Whoever waits longer, or shared a statement that failed, goes apart, into a
 * lane of its own key: it delays nobody else, and nobody else fails with it.
 */
export class AdmissionLanes {
  private readonly shared: Batches<AskedAdmission, Admission | Undecided>;
  private readonly waiting: Batches<AskedAdmission, Admission | Undecided>;
  /** By key, while requests of it wait apart. */
  private readonly apart = new Map<string, Lane>();
  /** What was admitted under an id before. */
  private readonly known: Batches<AskedAdmission, Admission | undefined>;

  constructor(
    private readonly statements: StatementPool,
    private readonly orgId: string,
  ) {
    const options = {
      maxItems: MAX_BATCH,
      owners: { of: ({ keyId }: AskedAdmission) => keyId, maxItems: MAX_OF_KEY },
    };
    this.shared = new Batches((asked) => this.admitTogether(asked, 'none'), options);
    this.waiting = new Batches((asked) => this.admitTogether(asked, 'short'), options);
    this.known = new Batches((asked) => admittedBefore(statements, orgId, asked), options);
  }

  /** Whether no request waits. */
  get idle(): boolean {
    return this.shared.size + this.waiting.size + this.known.size + this.apart.size === 0;
  }

  /** What was admitted under the id of a request before, if anything. */
  before(asked: AskedAdmission): Promise<Admission | undefined> {
    return this.known.add(asked);
  }

  async admit(asked: AskedAdmission): Promise<Admission> {
    // While requests of its key are delayed, it queues behind them.
    let admission = this.apart.get(asked.keyId)?.delayed ? 'apart' : await this.shared.add(asked);
    if (admission === 'busy') admission = await this.waiting.add(asked);
    return admission === 'busy' || admission === 'apart' ? this.admitApart(asked) : admission;
  }

  private async admitApart(asked: AskedAdmission): Promise<Admission> {
    const { keyId } = asked;
    const lane = this.apart.get(keyId) ?? this.newLane();
    this.apart.set(keyId, lane);
    try {
      const admission = await lane.batches.add(asked);
      invariant(admission !== 'busy' && admission !== 'apart', 'a statement of one key decides on each request');
      if (admission.outcome === 'failed') throw admission.error;
      return admission;
    } finally {
      if (lane.batches.size === 0 && this.apart.get(keyId) === lane) this.apart.delete(keyId);
    }
  }

  private newLane(): Lane {
    const admitAll = async (all: readonly AskedAdmission[]): Promise<(Admission | Undecided | Failed)[]> => {
      const began = performance.now();
      const admissions = await this.admitOfOneKey(all);
      const isFailed = admissions.some((one) => typeof one === 'object' && one.outcome === 'failed');
      lane.delayed = isFailed || performance.now() - began > UNDELAYED_MS;
      return admissions;
    };
    const lane: Lane = { batches: new Batches(admitAll, { maxItems: MAX_BATCH }), delayed: true };
    return lane;
  }

  private async admitTogether(
    asked: readonly AskedAdmission[],
    patience: Patience,
  ): Promise<(Admission | Undecided)[]> {
    try {
      return await admit(this.statements, this.orgId, asked, patience);
    } catch (error) {
      if (isAway(error)) throw error;
      return asked.map(() => 'apart');
    }
  }

  private async admitOfOneKey(asked: readonly AskedAdmission[]): Promise<(Admission | Undecided | Failed)[]> {
    try {
      return await admit(this.statements, this.orgId, asked, 'long');
    } catch (error) {
      const isLate = isLockBusy(error) || isRetryable(error);
      if (asked.length === 1 || isAway(error) || isLate) return asked.map(() => ({ outcome: 'failed', error }));
    }
    // One of them cannot be admitted: the others are admitted without it.
    const admissions: (Admission | Undecided | Failed)[] = [];
    for (const one of asked) admissions.push(...(await this.admitOfOneKey([one])));
    return admissions;
  }
}
