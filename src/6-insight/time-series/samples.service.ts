import { nextSlice, sliceIsOver, stepsInSlices, type Steps } from '../../1-platform/common/work/slices';
import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { SeriesCache, type Known, type KnownPod, type KnownSeries } from './series/series-cache';
import { SeriesInOrder } from './series/series-in-order';
import { mergedPods } from './series/pod-facts';
import { MetricKinds } from './series/metric-kinds';
import { mapSeries, type ReportedKind } from './rows/sample-mapping';
import { SampleMetrics, type Protocol } from './sample-metrics';
import { Outcome, type Refusal } from './rows/sample-outcome';
import { dayOf, SamplePartitions } from './rows/sample-partitions';
import { LaneRows, SampleStore } from './rows/sample-store';
import { valueOf } from './rows/sample-values';
import { notCounted } from './samples.errors';
import { POD_FACT_MS, savePods } from './samples.queries';
import { findable, storable } from './series/series-bounds';
import { SeriesDirectory, type ReportedSeries } from './series/series-directory';
import { SeriesRenewals } from './series/series-renewals';
import {
  MalformedSeries,
  TooMuchAtOnce,
  TooManyLabels,
  UnreadableBody,
  type ReceivedSamples,
  type SeriesName,
} from './protocols/received-samples';

/** Series that one statement looks up or writes. */
const SERIES_AT_ONCE = 1_000;

/** Facts about pods that one statement writes. */
const PODS_AT_ONCE = 1_000;

/** Samples between two checks of the time. */
const SAMPLES_OF_A_STEP = 512;

/** Samples of a known series that are added without a check of the time. */
const FEW_SAMPLES = 64;

/** What is wrong with the labels of one series. */
const LABEL_FAULTS = [MalformedSeries, UnreadableBody, TooMuchAtOnce];

/** A series of a request that must be looked up, or that is not ready for its newest sample. */
interface Unknown extends ReportedSeries {
  /** Its position in the request. */
  readonly series: number;
}

/** One request in progress. */
interface Writing {
  readonly orgId: string;
  readonly received: ReceivedSamples;
  readonly outcome: Outcome;
  readonly from: number;
  readonly until: number;
  readonly unknown: Unknown[];
  /** Facts to note, with the times of their samples. */
  readonly pods: Map<KnownPod, number>;
  readonly days: Set<number>;
  readonly rows: LaneRows;
}

/**
 * Stores the samples of a request. A repetition changes nothing, so a request that failed half-way can be
 * sent again.
 */
@Injectable()
export class SamplesService {
  private readonly cache = new SeriesCache();

  constructor(
    private readonly statements: StatementPool,
    private readonly directory: SeriesDirectory,
    private readonly renewals: SeriesRenewals,
    private readonly store: SampleStore,
    private readonly partitions: SamplePartitions,
    private readonly kinds: MetricKinds,
    private readonly metrics: SampleMetrics,
  ) {}

  /** Resolves when the storable samples are stored; the outcome lists the others. */
  async write({ orgId }: OrgContext, received: ReceivedSamples, protocol: Protocol): Promise<Outcome> {
    const outcome = new Outcome();
    const writing: Writing = {
      orgId,
      received,
      outcome,
      ...this.partitions.window(),
      unknown: [],
      pods: new Map(),
      days: new Set(),
      rows: new LaneRows(received.samples),
    };
    const inOrder = new SeriesInOrder(this.cache, orgId, received.names);
    for (let series = 0; series < received.series; series++) {
      if (sliceIsOver()) await nextSlice();
      const known = inOrder.find(series)?.known;
      if (known?.as === 'series' && this.addKnown(writing, series, known)) continue;
      await stepsInSlices(this.take(writing, series, known));
      if (writing.unknown.length >= SERIES_AT_ONCE) await this.lookUp(writing);
    }
    inOrder.find(undefined);
    await this.lookUp(writing);
    const [conflicts] = await Promise.all([
      this.store.add(orgId, writing.rows, writing.days),
      this.storePods(orgId, writing.pods),
    ]);
    this.refuseConflicts(writing, conflicts);
    await this.kinds.save(orgId, received.kinds);
    outcome.drop('histogram', received.histograms);
    outcome.drop('exemplar', received.exemplars);
    // Its sender repeats the request: the samples count once, with those that are missing now.
    if (outcome.isIncomplete) throw notCounted();
    this.metrics.count(protocol, outcome);
    return outcome;
  }

  /**
   * What `take` does with the few samples of a known series if all of them are storable, without generators:
   * those took a quarter of the time of a request.
   * @returns false if it did nothing
   */
  private addKnown(writing: Writing, series: number, known: KnownSeries): boolean {
    const { orgId, received, rows, days, outcome, from, until } = writing;
    const [first, end] = [received.from(series), received.to(series)];
    if (end - first > FEW_SAMPLES) return false;
    let newest = -Infinity;
    for (let sample = first; sample < end; sample++) {
      const time = received.timeOf(sample);
      if (!(time >= from && time <= until && time <= known.until)) return false;
      if (time > newest) newest = time;
    }
    for (let sample = first; sample < end; sample++) {
      const whole = Math.floor(received.timeOf(sample));
      rows.add(known.id, whole, valueOf(known.family, received.valueOf(sample)), sample);
      days.add(dayOf(whole));
    }
    outcome.stored += end - first;
    this.renewals.seen(orgId, known, newest);
    return true;
  }

  private *take(writing: Writing, series: number, known: Known | undefined): Steps<void> {
    const { received, outcome } = writing;
    if (known === undefined) return yield* this.meet(writing, series);
    if (known.as === 'dropped') return outcome.drop(known.reason, received.to(series) - received.from(series));
    const { count, last } = yield* this.within(writing, series);
    if (count === 0) return yield* this.refuseTimes(writing, series);
    if (known.as === 'pod') {
      if (last > known.seenAt + POD_FACT_MS) writing.pods.set(known, last);
      outcome.stored += count;
      return yield* this.refuseTimes(writing, series);
    }
    if (last > known.until) return yield* this.meet(writing, series);
    this.renewals.seen(writing.orgId, known, last);
    return yield* this.addRows(writing, series, known);
  }

  /** One that this replica does not know, or not up to that time. */
  private *meet(writing: Writing, series: number): Steps<void> {
    const { received, outcome, unknown } = writing;
    const count = received.to(series) - received.from(series);
    let name: SeriesName;
    try {
      name = received.describe(series);
    } catch (error) {
      if (error instanceof TooManyLabels) return outcome.refuse('too_many_labels', count, () => 'a series');
      // Its labels are read here for the first time.
      if (!LABEL_FAULTS.some((known) => error instanceof known)) throw error;
      return outcome.refuse('malformed', count, () => 'a series', (error as Error).message);
    }
    const mapped = mapSeries(name.name, name.labels, name.kind ?? kindIn(received.kinds, name.name));
    // Reported with the series itself: for existing series of its metric.
    if (name.kind !== undefined && mapped.as === 'series') received.kinds.set(name.name, name.kind);
    if (mapped.as === 'dropped') {
      this.remember(writing, series, mapped);
      return outcome.drop(mapped.reason, count);
    }
    if (!storable(name) || !findable(mapped)) return outcome.refuse('too_many_labels', count, () => textOf(name));
    if (mapped.as === 'pod') {
      const known = { as: 'pod', pod: mapped.pod, seenAt: -Infinity } as const;
      this.remember(writing, series, known);
      return yield* this.take(writing, series, known);
    }
    const { count: storableCount, last } = yield* this.within(writing, series);
    if (storableCount === 0) return yield* this.refuseTimes(writing, series);
    unknown.push({ series, mapped, newest: last });
    return undefined;
  }

  /** Looks up unknown series; missing ones are created, as many as the organisation may have. */
  private async lookUp(writing: Writing): Promise<void> {
    const { orgId, received, outcome } = writing;
    const unknown = writing.unknown.splice(0);
    if (unknown.length === 0) return;
    const byDigest = new Map<string, Unknown>();
    for (const one of unknown) {
      const other = byDigest.get(one.mapped.digest);
      if (!other || other.newest < one.newest) byDigest.set(one.mapped.digest, one);
    }
    const { ready, isRoomKnown } = await this.directory.ready(orgId, byDigest);
    for (const { series, mapped } of unknown) {
      if (sliceIsOver()) await nextSlice();
      const stored = ready.get(mapped.digest);
      if (!stored && !isRoomKnown) {
        outcome.isIncomplete = true;
        continue;
      }
      if (!stored) {
        const count = received.to(series) - received.from(series);
        outcome.refuse('too_many_series', count, () => textOf(received.describe(series)));
        continue;
      }
      const known: KnownSeries = { as: 'series', id: stored.id, until: stored.until, family: mapped.family };
      this.remember(writing, series, known);
      await stepsInSlices(this.addRows(writing, series, known));
    }
  }

  private remember({ orgId, received }: Writing, series: number, known: Known): void {
    this.cache.set(orgId, received.names.keyOf(series), known);
  }

  private *addRows(writing: Writing, series: number, { id, family }: KnownSeries): Steps<void> {
    const { received, days, from, until, rows } = writing;
    for (let sample = received.from(series); sample < received.to(series); sample++) {
      const milliseconds = received.timeOf(sample);
      if (milliseconds >= from && milliseconds <= until) {
        const whole = Math.floor(milliseconds);
        rows.add(id, whole, valueOf(family, received.valueOf(sample)), sample);
        days.add(dayOf(whole));
        writing.outcome.stored++;
      }
      if (sample % SAMPLES_OF_A_STEP === 0) yield;
    }
    yield* this.refuseTimes(writing, series);
  }

  /** Samples that are storable by their time: their number, and the newest time. */
  private *within({ received, from, until }: Writing, series: number): Steps<{ count: number; last: number }> {
    let [count, last] = [0, -Infinity];
    for (let sample = received.from(series); sample < received.to(series); sample++) {
      const time = received.timeOf(sample);
      if (time >= from && time <= until) {
        count++;
        if (time > last) last = time;
      }
      if (sample % SAMPLES_OF_A_STEP === 0) yield;
    }
    return { count, last };
  }

  private *refuseTimes({ received, outcome, from, until }: Writing, series: number): Steps<void> {
    for (let sample = received.from(series); sample < received.to(series); sample++) {
      const time = received.timeOf(sample);
      if (!(time >= from && time <= until)) {
        const reason: Refusal = time > until ? 'too_far_ahead' : 'too_old';
        outcome.refuse(reason, 1, () => sampleText(received, sample));
      }
      if (sample % SAMPLES_OF_A_STEP === 0) yield;
    }
  }

  /** @param samples whose time already has another value */
  private refuseConflicts({ received, outcome }: Writing, samples: readonly number[]): void {
    for (const sample of samples) {
      outcome.stored--;
      outcome.refuse('conflicting', 1, () => sampleText(received, sample));
    }
  }

  /** A pod may have facts in several statements: each completes what is stored. */
  private async storePods(orgId: string, pods: ReadonlyMap<KnownPod, number>): Promise<void> {
    const all = [...pods];
    for (let from = 0; from < all.length; from += PODS_AT_ONCE) {
      if (sliceIsOver()) await nextSlice();
      const some = all.slice(from, from + PODS_AT_ONCE);
      const facts = some.map(([{ pod }, seen]) => ({ ...pod, seen_ms: seen }));
      await savePods(this.statements, orgId, mergedPods(facts));
      for (const [known, seen] of some) known.seenAt = seen;
    }
  }
}

/**
 * Of a metric whose type the same request reports. OpenMetrics reports a counter by the name of its family.
 */
const kindIn = (kinds: ReceivedSamples['kinds'], name: string): ReportedKind =>
  kinds.get(name) ?? kinds.get(name.replace(/_total$/, ''));

const sampleText = (received: ReceivedSamples, sample: number): string =>
  `${textOf(received.describe(received.seriesOf(sample)))} of ${timeText(received.timeOf(sample))}`;

const textOf = ({ name, labels }: SeriesName): string =>
  `${name}{${[...labels].map(([label, value]) => `${label}="${value}"`).join(',')}}`;

const timeText = (milliseconds: number): string =>
  Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : 'no time';
