import type { PodFact } from './pod-facts';
import type { MetricFamily } from '../rows/sample-mapping';
import type { DropReason } from '../columns/series-columns';

/** A series that is stored. */
export interface ReadySeries {
  readonly id: number;
  /** Its samples may have a time up to this one, in milliseconds since 1970. */
  until: number;
  /** It waits for its renewal. */
  renewing?: boolean;
}

/** A stored series: an object of its own, because its time moves on. */
export interface KnownSeries extends ReadySeries {
  readonly as: 'series';
  readonly family: MetricFamily;
}

/** A series of facts about a pod, and when they were noted. */
export interface KnownPod {
  readonly as: 'pod';
  readonly pod: PodFact;
  seenAt: number;
}

/** A series that this replica has seen before. */
export type Known = KnownSeries | KnownPod | { readonly as: 'dropped'; readonly reason: DropReason };

/** A series in the cache. */
export interface SeenSeries {
  known: Known;
  readonly generation: number;
  /** Its labels as they were sent, if they are kept. */
  form?: Uint8Array;
  /** The one that came after it in the newest request. */
  next?: SeenSeries | undefined;
}

type Generation = Map<string, Map<string, SeenSeries>>;

/** Series of each of the two generations: about 40 MB for both. */
const MAX_OF_A_GENERATION = 100_000;
/** Bytes of forms of each of the two generations, and of one. */
const MAX_FORMS = 16 * 1_024 * 1_024;
const MAX_FORM = 1_024;

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
  private formBytes = 0;
  private generation = 0;

  constructor(private readonly max = MAX_OF_A_GENERATION) {}

  get(orgId: string, key: string): SeenSeries | undefined {
    const seen = this.young.get(orgId)?.get(key);
    if (seen) return seen;
    const before = this.old.get(orgId)?.get(key);
    return before && this.set(orgId, key, before.known);
  }

  set(orgId: string, key: string, known: Known): SeenSeries {
    if (this.size >= this.max) {
      this.old = this.young;
      this.young = new Map();
      this.size = 0;
      this.formBytes = 0;
      this.generation++;
    }
    const ofOrganisation = this.young.get(orgId) ?? new Map<string, SeenSeries>();
    this.young.set(orgId, ofOrganisation);
    const before = ofOrganisation.get(key);
    // The entry stays: others refer to it as the one that comes next.
    if (before) {
      before.known = known;
      return before;
    }
    this.size++;
    const seen = { known, generation: this.generation };
    ofOrganisation.set(key, seen);
    return seen;
  }

  /** Whether it was used since the newest generation began: the others must be looked up, to be kept. */
  isYoung({ generation }: SeenSeries): boolean {
    return generation === this.generation;
  }

  /** Keeps the labels of a young series as they were sent, if there is room. */
  keepForm(seen: SeenSeries, form: Uint8Array | undefined): void {
    if (!form || seen.form || form.length > MAX_FORM || this.formBytes + form.length > MAX_FORMS) return;
    this.formBytes += form.length;
    seen.form = Buffer.from(form);
  }
}
