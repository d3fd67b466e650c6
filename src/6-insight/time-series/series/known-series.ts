import type { PodFact } from './pod-facts';
import type { MetricFamily } from '../rows/sample-mapping';
import type { DropReason } from '../columns/series-columns';

/** What this replica knows of a series that was reported before. */
export type Known =
  | { readonly as: 'series'; readonly id: number; readonly family: MetricFamily; readonly lastDay: number }
  | { readonly as: 'pod'; readonly pod: PodFact; seenAt: number }
  | { readonly as: 'dropped'; readonly reason: DropReason };

type Generation = Map<string, Map<string, Known>>;

/** Series of each of the two generations: some 40 MB of both. */
const MAX_OF_A_GENERATION = 100_000;

/**
 * Series by organisation and the key of their labels, bounded. A series that nobody asks for while a whole
 * generation of others arrives is forgotten, and looked up again when it returns.
 *
 * Every sample that arrives asks here, so this is no LRU list: a hit costs two look-ups, moves nothing, and
 * the memory is taken only when it is used.
 */
export class KnownSeries {
  private young: Generation = new Map();
  private old: Generation = new Map();
  private size = 0;

  constructor(private readonly max = MAX_OF_A_GENERATION) {}

  get(orgId: string, key: string): Known | undefined {
    const known = this.young.get(orgId)?.get(key);
    if (known) return known;
    const before = this.old.get(orgId)?.get(key);
    if (before) this.set(orgId, key, before);
    return before;
  }

  set(orgId: string, key: string, known: Known): void {
    if (this.size >= this.max) {
      this.old = this.young;
      this.young = new Map();
      this.size = 0;
    }
    const ofOrganisation = this.young.get(orgId) ?? new Map<string, Known>();
    this.young.set(orgId, ofOrganisation);
    if (!ofOrganisation.has(key)) this.size++;
    ofOrganisation.set(key, known);
  }
}
