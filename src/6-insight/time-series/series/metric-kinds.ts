import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { familyOf, type MetricFamily, type MetricKind } from '../rows/sample-mapping';
import { saveKinds } from '../samples.queries';

/**
 * A type that a sender repeats, as Prometheus does each minute, is compared again after
 * so long: another replica may have kept another one.
 */
const KIND_MS = 55_000;

/** Metrics of all organisations whose type this replica remembers to have saved. */
const MAX_REMEMBERED = 100_000;

/** A metric as it is stored. */
export interface MetricName {
  readonly family: MetricFamily;
  readonly metric: string;
}

/** Types of metrics as their senders tell them. */
@Injectable()
export class MetricKinds {
  private readonly saved = new LRUCache<string, MetricKind>({ max: MAX_REMEMBERED, ttl: KIND_MS });

  constructor(private readonly statements: StatementPool) {}

  /** @param told by the names of metrics, or of families of OpenMetrics, as they were told */
  async save(orgId: string, told: ReadonlyMap<string, MetricKind>): Promise<void> {
    const changed = new Map<string, MetricName & { kind: MetricKind }>();
    for (const [name, kind] of told) {
      // Counters of OpenMetrics are told by the name of their family, which lacks this ending.
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
