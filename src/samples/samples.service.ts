import { Inject, Injectable } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { sqlState } from '../database/database-errors';
import { Batches } from '../database/batches';
import { StatementPool } from '../database/statement-pool';
import { KnownSeries, type Known } from './known-series';
import type { PodFact } from './pod-facts';
import { mapSeries, type MappedPod, type MappedSeries } from './sample-mapping';
import { valueOf } from './sample-values';
import { SampleMetrics, type Protocol } from './sample-metrics';
import { Outcome, type Refusal } from './sample-outcome';
import { DAY_MS, dayOf, SamplePartitions } from './sample-partitions';
import { SampleRows } from './sample-rows';
import { SeriesAllowance } from './series-allowance';
import { countSeries, savePods, saveSamples, saveSeries, seriesIds } from './samples.queries';
import { MalformedSeries, type SeriesName, type ToldSamples, type ToldSeries } from './told-samples';

/** Series that one statement looks up or writes. */
const SERIES_AT_ONCE = 2_000;
/** Rows of one statement. One takes a tenth of a second or so; several requests share one. */
const ROWS_AT_ONCE = 20_000;
/** Statements of samples at the same time: hot routes use the same connections. */
const LANES = 2;

const MAX_LABELS = 64;
const MAX_LABEL_NAME = 256;
const MAX_LABEL_VALUE = 2_048;
/** Of a label by which rows are found: as long as a name in Kubernetes may be, and no longer than an index takes. */
const MAX_IDENTIFIER = 253;

/** A fact that says the same is noted again after so long. */
const POD_FACT_MS = 600_000;

const NO_PARTITION = '23514';

/** A series of a request that is to be looked up, or to be told that it goes on. */
interface Unknown {
  readonly told: ToldSeries;
  readonly mapped: MappedSeries;
  readonly lastDay: number;
}

/** One request on its way. */
interface Writing {
  readonly orgId: string;
  readonly samples: ToldSamples;
  readonly outcome: Outcome;
  readonly from: number;
  readonly until: number;
  readonly unknown: Unknown[];
  readonly pods: Map<string, { known: Extract<Known, { as: 'pod' }>; seen: number }>;
  readonly days: Set<number>;
  rows: SampleRows[];
}

interface Chunk {
  readonly orgId: string;
  readonly rows: SampleRows;
}

/** Stores the samples that a request tells. The same request again changes nothing, so one that failed half-way is sent again. */
@Injectable()
export class SamplesService {
  private readonly known = new KnownSeries();
  private readonly allowance: SeriesAllowance;
  private readonly lanes: Batches<Chunk, void>[];
  private nextLane = 0;

  constructor(
    private readonly statements: StatementPool,
    private readonly partitions: SamplePartitions,
    private readonly metrics: SampleMetrics,
    @Inject(ENVIRONMENT) { metricsMaxSeries }: Environment,
  ) {
    this.allowance = new SeriesAllowance(metricsMaxSeries, (orgId) => countSeries(statements, orgId));
    this.lanes = Array.from({ length: LANES }, () => new Batches((chunks) => this.save(chunks), { maxItems: 64 }));
  }

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
    await this.store(writing);
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
    let ids = await seriesIds(this.statements, orgId, [...byDigest.keys()]);
    const missing = [...byDigest.keys()].filter((digest) => !ids.has(digest));
    const allowed = missing.length === 0 ? 0 : await this.allowance.take(orgId, missing.length);
    const refused = new Set(missing.slice(allowed));
    const saved = [...byDigest.values()].filter(({ mapped }) => !refused.has(mapped.digest));
    let made = false;
    try {
      if (saved.length > 0) await saveSeries(this.statements, orgId, saved);
      made = true;
    } finally {
      this.allowance.settle(orgId, allowed, made);
    }
    if (allowed > 0) ids = await seriesIds(this.statements, orgId, [...byDigest.keys()]);
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

  private async store(writing: Writing): Promise<void> {
    const { orgId, rows, pods, days } = writing;
    writing.rows = [];
    await this.partitions.ensure(days);
    await Promise.all([
      ...rows.map((one) => this.lane().add({ orgId, rows: one })),
      this.storePods(orgId, [...pods.values()]),
    ]);
  }

  private lane(): Batches<Chunk, void> {
    this.nextLane = (this.nextLane + 1) % LANES;
    return this.lanes.reduce(
      (least, lane) => (lane.size < least.size ? lane : least),
      this.lanes[this.nextLane] as Batches<Chunk, void>,
    );
  }

  /** What several requests of an organisation tell at the same time is written by one statement. */
  private async save(chunks: readonly Chunk[]): Promise<void[]> {
    const byOrganisation = Map.groupBy(chunks, ({ orgId }) => orgId);
    for (const [orgId, ofOne] of byOrganisation) {
      let together: SampleRows[] = [];
      let count = 0;
      for (const { rows } of ofOne) {
        if (count + rows.count > ROWS_AT_ONCE && count > 0) {
          await this.saveRows(orgId, together);
          [together, count] = [[], 0];
        }
        together.push(rows);
        count += rows.count;
      }
      await this.saveRows(orgId, together);
    }
    return chunks.map(() => undefined);
  }

  private async saveRows(orgId: string, sets: readonly SampleRows[]): Promise<void> {
    try {
      await saveSamples(this.statements, orgId, sets);
    } catch (error) {
      if (sqlState(error) !== NO_PARTITION) throw error;
      // A day was dropped that was still told of: another replica keeps fewer days, or its clock is another.
      this.partitions.doubt();
      await this.partitions.ensure(new Set(sets.flatMap((rows) => rows.days(DAY_MS))));
      await saveSamples(this.statements, orgId, sets);
    }
  }

  private async storePods(
    orgId: string,
    told: readonly { known: Extract<Known, { as: 'pod' }>; seen: number }[],
  ): Promise<void> {
    if (told.length === 0) return;
    await savePods(
      this.statements,
      orgId,
      mergedPods(told.map(({ known, seen }) => ({ ...known.pod, seen_ms: seen }))),
    );
    for (const { known, seen } of told) known.seenAt = seen;
  }
}

/** One fact of each pod: what the newest says, and what the others say beside. */
function mergedPods(facts: readonly (PodFact & { seen_ms: number })[]): (PodFact & { seen_ms: number })[] {
  const byUid = new Map<string, PodFact & { seen_ms: number }>();
  for (const fact of [...facts].sort((a, b) => a.seen_ms - b.seen_ms)) {
    const other = byUid.get(fact.pod_uid);
    byUid.set(fact.pod_uid, {
      ...fact,
      seen_ms: Math.floor(fact.seen_ms),
      node_name: fact.node_name ?? other?.node_name ?? null,
      owner_kind: fact.owner_kind ?? other?.owner_kind ?? null,
      owner_name: fact.owner_kind === null ? (other?.owner_name ?? null) : fact.owner_name,
    });
  }
  return [...byUid.values()];
}

/** U+0000 and half a surrogate pair are no characters of PostgreSQL's texts. */
const fits = (text: string, max: number): boolean => text.length <= max && !text.includes('\0') && text.isWellFormed();

const storable = ({ name, labels }: SeriesName): boolean =>
  fits(name, MAX_LABEL_NAME) &&
  labels.size <= MAX_LABELS &&
  [...labels].every(([label, value]) => fits(label, MAX_LABEL_NAME) && fits(value, MAX_LABEL_VALUE));

function findable(mapped: MappedSeries | MappedPod): boolean {
  const { pod_uid, namespace, pod_name } = mapped.as === 'pod' ? mapped.pod : mapped.columns;
  const gpu_uuid = mapped.as === 'series' ? mapped.columns.gpu_uuid : undefined;
  return [gpu_uuid, pod_uid, namespace, pod_name].every((found = '') => found.length <= MAX_IDENTIFIER);
}

const textOf = ({ name, labels }: SeriesName): string =>
  `${name}{${[...labels].map(([label, value]) => `${label}="${value}"`).join(',')}}`;

const timeText = (milliseconds: number): string =>
  Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : 'no time';
