import { getHeapStatistics } from 'node:v8';
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
  /** Its labels as they were sent, if they are kept: a character for each byte. */
  form?: string | undefined;
  /** The one that came after it in the newest request. */
  next?: SeenSeries | undefined;
}

/** Where an entry is, so that another one can take its place. */
interface Entry extends SeenSeries {
  readonly orgId: string;
  readonly key: string;
  /** In the list of all; -1: it is no longer in the cache, or never was. */
  place: number;
  usedAt: number;
}

/** Heap that an entry with its key takes: 270 to 300 bytes were measured, with up to a million of them. */
const BYTES_OF_AN_ENTRY = 300;
/** Of the limit of the heap. In a container with 1 GiB the heap may have half of it: 220,000 series. */
const PART_OF_HEAP = 1 / 8;
const [FEWEST, MOST] = [100_000, 2_000_000];

/** Entries that a replica keeps. @param heapBytes the limit of its heap */
export const cacheSizeFor = (heapBytes: number): number =>
  Math.min(MOST, Math.max(FEWEST, Math.floor((heapBytes * PART_OF_HEAP) / BYTES_OF_AN_ENTRY)));

/**
 * For each series, so many that are not stored, with so much room for their forms: they take none of a
 * series. One that is not found costs no statement, but its labels are read and mapped again, which takes
 * many times as long as a look-up.
 */
const PART_OF_DROPPED = 0.5;

/**
 * Bytes of the forms of series, and of one form. Each takes 20 bytes of the heap beside them. As an array,
 * it would take 200 bytes of the heap and 300 others; a slice of a pool keeps all of the pool.
 */
const MAX_FORMS = 32 * 1_024 * 1_024;
const MAX_FORM = 1_024;

/** Longer than the pause between two scrapes: an entry that was not used meanwhile has ended. */
const ENDED_MS = 600_000;
/** Places in which a new one looks for an entry that has ended. */
const LOOKS = 8;
/** If it finds none, one of so many takes the place of another one that is in use. */
const ADMITTED_ONE_OF = 16;

/** Where the cache takes the time and chance from. */
export interface CacheSource {
  /** In milliseconds, from any moment. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Series by organisation and the key of their labels, bounded.
 *
 * Senders repeat all their series, one after the other. A list of the last ones used would find none of them
 * as soon as they are more than it holds: each goes just before it returns. So a full cache keeps what it
 * has, and finds as many as it holds. A new series takes the place of one that has ended, and now and then of
 * another.
 *
 * Every sample needs a look-up here: a hit costs two look-ups and moves nothing.
 */
export class SeriesCache {
  private readonly stored: Shelf;
  private readonly dropped: Shelf;
  private now: number;

  constructor(
    max = cacheSizeFor(getHeapStatistics().heap_size_limit),
    private readonly source: CacheSource = { now: () => performance.now(), random: () => Math.random() },
  ) {
    const { random } = source;
    this.stored = new Shelf(max, MAX_FORMS, random);
    this.dropped = new Shelf(Math.ceil(max * PART_OF_DROPPED), MAX_FORMS * PART_OF_DROPPED, random);
    this.now = source.now();
  }

  /** Looks at the clock: at each request, which takes far less time than a series that ends. */
  lookAtClock(): void {
    this.now = this.source.now();
  }

  get(orgId: string, key: string): SeenSeries | undefined {
    const entry = this.stored.get(orgId, key) ?? this.dropped.get(orgId, key);
    if (entry) entry.usedAt = this.now;
    return entry;
  }

  /** Remembers it, if there is room or chance wants it. @returns its entry, which may not be in the cache */
  set(orgId: string, key: string, known: Known): SeenSeries {
    const shelf = this.shelfOf(known);
    const before = shelf.get(orgId, key);
    // The entry stays: others refer to it as the one that comes next.
    if (before) {
      before.known = known;
      before.usedAt = this.now;
      return before;
    }
    const entry: Entry = { known, form: undefined, next: undefined, orgId, key, place: -1, usedAt: this.now };
    shelf.add(entry, this.now - ENDED_MS);
    return entry;
  }

  /** Notes that an entry was found otherwise: by its form, which only those in the cache have. */
  used(seen: SeenSeries): SeenSeries {
    (seen as Entry).usedAt = this.now;
    return seen;
  }

  /**
   * Keeps the labels of a series in the cache as they were sent, if there is room.
   * @param formOf makes them, which takes as long as to compare them
   */
  keepForm(seen: SeenSeries, formOf: () => string | undefined): void {
    if (seen.form || (seen as Entry).place < 0) return;
    this.shelfOf(seen.known).keepForm(seen, formOf);
  }

  private shelfOf(known: Known): Shelf {
    return known.as === 'dropped' ? this.dropped : this.stored;
  }
}

/** Entries that share limits. */
class Shelf {
  private readonly byKey = new Map<string, Map<string, Entry>>();
  private readonly entries: Entry[] = [];
  private formBytes = 0;

  constructor(
    private readonly max: number,
    private readonly maxFormBytes: number,
    private readonly random: () => number,
  ) {}

  get(orgId: string, key: string): Entry | undefined {
    return this.byKey.get(orgId)?.get(key);
  }

  /**
   * Adds an entry that is not in it, unless it is full of others.
   * @param endedBefore what was not used since then has ended
   */
  add(entry: Entry, endedBefore: number): void {
    const gone = this.entries.length < this.max ? undefined : this.replaceable(endedBefore);
    if (gone === null) return;
    entry.place = gone?.place ?? this.entries.length;
    if (gone) this.remove(gone);
    this.entries[entry.place] = entry;
    const ofOrganisation = this.byKey.get(entry.orgId) ?? new Map<string, Entry>();
    this.byKey.set(entry.orgId, ofOrganisation);
    ofOrganisation.set(entry.key, entry);
  }

  keepForm(seen: SeenSeries, formOf: () => string | undefined): void {
    if (this.formBytes + MAX_FORM > this.maxFormBytes) return;
    const form = formOf();
    if (!form || form.length > MAX_FORM) return;
    this.formBytes += form.length;
    seen.form = form;
  }

  /** @returns null if all stay */
  private replaceable(endedBefore: number): Entry | null {
    let any: Entry | null = null;
    for (let look = 0; look < LOOKS; look++) {
      any = this.entries[Math.floor(this.random() * this.entries.length)] ?? null;
      if (any && any.usedAt < endedBefore) return any;
    }
    return this.random() * ADMITTED_ONE_OF < 1 ? any : null;
  }

  /** Others may refer to it. */
  private remove(gone: Entry): void {
    this.formBytes -= gone.form?.length ?? 0;
    gone.form = undefined;
    gone.next = undefined;
    gone.place = -1;
    const ofOrganisation = this.byKey.get(gone.orgId);
    ofOrganisation?.delete(gone.key);
    if (ofOrganisation?.size === 0) this.byKey.delete(gone.orgId);
  }
}
