import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import { StatementPool } from '../database/statement-pool';
import { KnownSeries, type Known } from './known-series';
import { mergedPods } from './pod-facts';
import { mapSeries } from './sample-mapping';
import { SampleMetrics, type Protocol } from './sample-metrics';
import { Outcome, type Refusal } from './sample-outcome';
import { dayOf, SamplePartitions } from './sample-partitions';
import { ROWS_AT_ONCE, SampleRows } from './sample-rows';
import { SampleStore } from './sample-store';
import { valueOf } from './sample-values';
import { savePods } from './samples.queries';
import { findable, storable } from './series-bounds';
import { SeriesDirectory, type SeriesOfDay } from './series-directory';
import { MalformedSeries, type SeriesName, type ToldSamples, type ToldSeries } from './told-samples';

/** Series that one statement looks up or writes. */
const SERIES_AT_ONCE = 2_000;

/** A fact that says the same is noted again after so long. */
const POD_FACT_MS = 600_000;

/** A series of a request that is to be looked up, or to be told that it goes on. */
interface Unknown extends SeriesOfDay {
  readonly told: ToldSeries;
}

/** A fact that is to be noted, and the moment of the sample that told it. */
interface NewPodFact {
  readonly known: Extract<Known, { as: 'pod' }>;
  readonly seen: number;
}

/** One request on its way. */
interface Writing {
  readonly orgId: string;
  readonly samples: ToldSamples;
  readonly outcome: Outcome;
  readonly from: number;
  readonly until: number;
  readonly unknown: Unknown[];
  /** By the key of their series. */
  readonly pods: Map<string, NewPodFact>;
  readonly days: Set<number>;
  readonly rows: SampleRows[];
}

/** Stores the samples that a request tells. The same request again changes nothing, so one that failed half-way is sent again. */
@Injectable()
export class SamplesService {
  private readonly known = new KnownSeries();

  constructor(
    private readonly statements: StatementPool,
    private readonly directory: SeriesDirectory,
    private readonly store: SampleStore,
    private readonly partitions: SamplePartitions,
    private readonly metrics: SampleMetrics,
  ) {}

  /** Resolves when what could be stored is stored; what could not is in the outcome. */
  async write({ orgId }: OrgContext, samples: ToldSamples, protocol: Protocol): Promise<Outcome> {
    const outcome = new Outcome();
    const writing: Writing = {
      orgId,
      samples,
      outcome,
      ...this.partitions.window(),
      unknown: [],
      pods: new Map(),
      days: new Set(),
      rows: [],
    };
    for (const told of samples.series) {
      this.take(writing, told, this.known.get(orgId, told.key));
      if (writing.unknown.length >= SERIES_AT_ONCE) await this.lookUp(writing);
    }
    await this.lookUp(writing);
    await Promise.all([
      this.store.add(orgId, writing.rows, writing.days),
      this.storePods(orgId, [...writing.pods.values()]),
    ]);
    outcome.drop('histogram', samples.histograms);
    outcome.drop('exemplar', samples.exemplars);
    this.metrics.count(protocol, outcome);
    return outcome;
  }

  private take(writing: Writing, told: ToldSeries, known: Known | undefined): void {
    const { outcome } = writing;
    if (known === undefined) return this.meet(writing, told);
    if (known.as === 'dropped') return outcome.drop(known.reason, told.to - told.from);
    const last = this.lastWithin(writing, told);
    if (last === undefined) return this.refuseTimes(writing, told);
    if (known.as === 'pod') {
      if (last > known.seenAt + POD_FACT_MS) writing.pods.set(told.key, { known, seen: last });
      this.refuseTimes(writing, told);
      outcome.stored += this.within(writing, told);
      return undefined;
    }
    if (dayOf(last) > known.lastDay) return this.meet(writing, told);
    this.addRows(writing, told, known);
    return undefined;
  }

  /** One that this replica does not know, or not of that day. */
  private meet(writing: Writing, told: ToldSeries): void {
    const { orgId, outcome, unknown } = writing;
    const count = told.to - told.from;
    let name: SeriesName;
    try {
      name = told.describe();
    } catch (error) {
      if (!(error instanceof MalformedSeries)) throw error;
      return outcome.refuse('malformed', count, () => 'a series', error.message);
    }
    const mapped = mapSeries(name.name, name.labels, name.kind);
    if (mapped.as === 'dropped') {
      this.known.set(orgId, told.key, mapped);
      return outcome.drop(mapped.reason, count);
    }
    if (!storable(name) || !findable(mapped)) return outcome.refuse('too_many_labels', count, () => textOf(name));
    if (mapped.as === 'pod') {
      const known = { as: 'pod', pod: mapped.pod, seenAt: -Infinity } as const;
      this.known.set(orgId, told.key, known);
      return this.take(writing, told, known);
    }
    const last = this.lastWithin(writing, told);
    if (last === undefined) return this.refuseTimes(writing, told);
    unknown.push({ told, mapped, lastDay: dayOf(last) });
    return undefined;
  }

  /** The ids of series that are not known; those that are not there are made, as many as the organisation may have. */
  private async lookUp(writing: Writing): Promise<void> {
    const { orgId, outcome } = writing;
    const unknown = writing.unknown.splice(0);
    if (unknown.length === 0) return;
    const byDigest = new Map<string, Unknown>();
    for (const one of unknown) {
      const other = byDigest.get(one.mapped.digest);
      if (!other || other.lastDay < one.lastDay) byDigest.set(one.mapped.digest, one);
    }
    const ids = await this.directory.idsOf(orgId, byDigest);
    for (const { told, mapped } of unknown) {
      const id = ids.get(mapped.digest);
      if (id === undefined) {
        outcome.refuse('too_many_series', told.to - told.from, () => textOf(told.describe()));
        continue;
      }
      const lastDay = byDigest.get(mapped.digest)?.lastDay ?? 0;
      const known = { as: 'series', id, family: mapped.family, lastDay } as const;
      this.known.set(orgId, told.key, known);
      this.addRows(writing, told, known);
    }
  }

  private addRows(writing: Writing, told: ToldSeries, { id, family }: Extract<Known, { as: 'series' }>): void {
    const { samples, days, from, until, rows } = writing;
    for (let place = told.from; place < told.to; place++) {
      const milliseconds = samples.times[place] as number;
      if (!(milliseconds >= from && milliseconds <= until)) continue;
      let last = rows.at(-1);
      if (!last || last.count === ROWS_AT_ONCE) {
        last = new SampleRows(Math.min(ROWS_AT_ONCE, samples.count));
        rows.push(last);
      }
      const whole = Math.floor(milliseconds);
      last.add(id, whole, valueOf(family, samples.values[place] as number));
      days.add(dayOf(whole));
      writing.outcome.stored++;
    }
    this.refuseTimes(writing, told);
  }

  /** The time of the newest sample that can be stored. */
  private lastWithin({ samples, from, until }: Writing, told: ToldSeries): number | undefined {
    let last: number | undefined;
    for (let place = told.from; place < told.to; place++) {
      const time = samples.times[place] as number;
      if (time >= from && time <= until && (last === undefined || time > last)) last = time;
    }
    return last;
  }

  private within({ samples, from, until }: Writing, told: ToldSeries): number {
    let count = 0;
    for (let place = told.from; place < told.to; place++) {
      const time = samples.times[place] as number;
      if (time >= from && time <= until) count++;
    }
    return count;
  }

  private refuseTimes({ samples, outcome, from, until }: Writing, told: ToldSeries): void {
    for (let place = told.from; place < told.to; place++) {
      const time = samples.times[place] as number;
      if (time >= from && time <= until) continue;
      const reason: Refusal = time > until ? 'too_far_ahead' : 'too_old';
      outcome.refuse(reason, 1, () => `${textOf(told.describe())} of ${timeText(time)}`);
    }
  }

  private async storePods(orgId: string, told: readonly NewPodFact[]): Promise<void> {
    if (told.length === 0) return;
    const facts = told.map(({ known, seen }) => ({ ...known.pod, seen_ms: seen }));
    await savePods(this.statements, orgId, mergedPods(facts));
    for (const { known, seen } of told) known.seenAt = seen;
  }
}

const textOf = ({ name, labels }: SeriesName): string =>
  `${name}{${[...labels].map(([label, value]) => `${label}="${value}"`).join(',')}}`;

const timeText = (milliseconds: number): string =>
  Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : 'no time';
