import type { PodFact } from './pod-facts';
import type { MetricFamily } from '../rows/sample-mapping';
import type { DropReason } from '../columns/series-columns';

/** A series that this replica has seen before. */
export type Known =
  | { readonly as: 'series'; readonly id: number; readonly family: MetricFamily; readonly lastDay: number }
  | { readonly as: 'pod'; readonly pod: PodFact; seenAt: number }
  | { readonly as: 'dropped'; readonly reason: DropReason };

type Generation = Map<string, Map<string, Known>>;

/** Series of each of the two generations: about 40 MB for both. */
const MAX_OF_A_GENERATION = 100_000;

/**
 * Series by organisation and the key of their labels, bounded. A series that is not used while a whole
 * generation of others arrives is dropped, and looked up again when it returns.
 *
 * Every sample needs a look-up here, so this is no LRU list: a hit costs two look-ups and moves nothing, and
 * memory is only taken by entries.
 */
export class SeriesCache {
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
