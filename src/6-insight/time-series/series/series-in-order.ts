import type { SeriesNames } from '../protocols/received-samples';
import type { SeenSeries, SeriesCache } from './series-cache';

/**
 * Finds the known series of one request, one after the other. Senders repeat their series in the same order.
 * So the labels are first compared with those of the series that came next the last time: that takes a fifth
 * of a look-up by key. Only when they differ, their key is calculated.
 */
export class SeriesInOrder {
  private previous: SeenSeries | undefined;

  constructor(
    private readonly cache: SeriesCache,
    private readonly orgId: string,
    private readonly names: SeriesNames,
  ) {
    cache.lookAtClock();
  }

  /** @param series position in the request; undefined: the one after the last */
  find(series: number | undefined): SeenSeries | undefined {
    const { previous } = this;
    const seen = series === undefined ? undefined : (this.expected(series) ?? this.lookUp(series));
    // What it refers to was used just now, so that nothing keeps series that are no longer sent.
    if (previous) previous.next = seen;
    this.previous = seen;
    return seen;
  }

  private expected(series: number): SeenSeries | undefined {
    const next = this.previous?.next;
    return next?.form && this.names.hasForm?.(series, next.form) ? this.cache.used(next) : undefined;
  }

  private lookUp(series: number): SeenSeries | undefined {
    const seen = this.cache.get(this.orgId, this.names.keyOf(series));
    if (seen) this.cache.keepForm(seen, () => this.names.formOf?.(series));
    return seen;
  }
}
