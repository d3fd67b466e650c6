import { Injectable } from '@nestjs/common';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { familyOf, type MetricFamily, type MetricKind } from '../rows/sample-mapping';
import { saveKinds } from '../samples.queries';
import { recentlyUsed } from '../../../1-platform/common/work/recently-used';

/**
 * A repeated type (Prometheus sends it each minute) is compared again after this time: another replica may
 * have stored another one.
 */
const KIND_MS = 55_000;

/** Maximal metrics of all organisations whose saved type this replica remembers. */
const MAX_REMEMBERED = 100_000;

/** A metric as it is stored. */
export interface MetricName {
  readonly family: MetricFamily;
  readonly metric: string;
}

/** Types of metrics, as their senders report them. */
@Injectable()
export class MetricKinds {
  private readonly saved = recentlyUsed<MetricKind>({ most: MAX_REMEMBERED, ttl: KIND_MS });

  constructor(private readonly statements: StatementPool) {}

  /** @param reported by the names of metrics, or of families of OpenMetrics, as reported */
  async save(orgId: string, reported: ReadonlyMap<string, MetricKind>): Promise<void> {
    const changed = new Map<string, MetricName & { kind: MetricKind }>();
    for (const [name, kind] of reported) {
      // OpenMetrics reports counters by the name of their family, which lacks this ending.
      for (const one of kind === 'counter' ? [name, `${name}_total`] : [name]) {
        const mapped = familyOf(one);
        if (!mapped || mapped.kind !== undefined) continue;
        if (this.saved.get(keyOf(orgId, mapped)) === kind) continue;
        changed.set(keyOf(orgId, mapped), { family: mapped.family, metric: mapped.metric, kind });
      }
    }
    if (changed.size === 0) return;
    await saveKinds(this.statements, orgId, [...changed.values()]);
    for (const [key, { kind }] of changed) this.saved.set(key, kind);
  }
}

const keyOf = (orgId: string, { family, metric }: MetricName): string => `${orgId} ${family} ${metric}`;
