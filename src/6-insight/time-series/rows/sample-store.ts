import { Injectable } from '@nestjs/common';
import { nextSlice, sliceIsOver } from '../../../1-platform/common/work/slices';
import { Batches } from '../../../1-platform/common/work/batches';
import {
  isAway,
  isLockBusy,
  isOutOfTime,
  unpartitionedTable,
} from '../../../1-platform/database/connections/database-errors';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { saveSamples } from '../groups/grouped-samples.queries';
import { groupOf } from '../groups/sample-groups';
import { DAY_MS, SamplePartitions } from './sample-partitions';
import { SAMPLES_AT_ONCE, SampleRows } from './sample-rows';

/** Concurrent sample statements: hot routes use the same connections. */
const LANES = 2;

/** Maximal chunks that one batch writes. */
const MAX_BATCH = 64;
/** Those of one organisation among them: a request of it may have almost as many. */
const MAX_OF_ONE = 16;
/** After so many organisations of a batch whose statements were late, the database itself is. */
const MAX_LATE = 2;

/**
 * Samples of one request. All samples of a group take the same path, so that the first of two with the same
 * time stands, and one statement at a time writes to a row.
 */
export class LaneRows {
  readonly sets: { readonly lane: number; readonly rows: SampleRows }[] = [];
  private readonly open: (SampleRows | undefined)[] = [];
  private added = 0;

  /** Memory for so many samples at most: a lane may leave most of its last set unused. */
  static readonly bytesOf = (samples: number): number =>
    SampleRows.bytesOf(samples + (LANES - 1) * Math.min(SAMPLES_AT_ONCE, samples));

  /** @param capacity samples of the request */
  constructor(private readonly capacity: number) {}

  add(seriesId: number, milliseconds: number, value: number | null, place: number): void {
    const lane = groupOf(seriesId) % LANES;
    let rows = this.open[lane];
    if (!rows || rows.count === SAMPLES_AT_ONCE) {
      rows = new SampleRows(Math.min(SAMPLES_AT_ONCE, this.capacity - this.added));
      this.open[lane] = rows;
      this.sets.push({ lane, rows });
    }
    rows.add(seriesId, milliseconds, value, place);
    this.added++;
  }
}

interface Chunk {
  readonly orgId: string;
  readonly rows: SampleRows;
}

interface Failed {
  readonly error: unknown;
}

/** The positions in their request of the samples whose time already has another value. */
type Saved = readonly number[] | Failed;

const samplesOf = (chunks: readonly Chunk[]): number => chunks.reduce((sum, { rows }) => sum + rows.count, 0);

/**
 * Writes rows of samples: those of several concurrent requests by one statement. Organisations share batches
 * and no statement: none fails with another, nor waits for more than the statements of one batch.
 */
@Injectable()
export class SampleStore {
  private readonly lanes: Batches<Chunk, Saved>[];

  constructor(
    private readonly statements: StatementPool,
    private readonly partitions: SamplePartitions,
  ) {
    const options = {
      maxItems: MAX_BATCH,
      owners: { of: ({ orgId }: Chunk) => orgId, maxItems: MAX_OF_ONE },
    };
    this.lanes = Array.from({ length: LANES }, () => new Batches((chunks) => this.save(chunks), options));
  }

  /**
   * @param days of the rows
   * @returns the positions in their request of the samples whose time already has another value
   */
  async add(orgId: string, rows: LaneRows, days: Iterable<number>): Promise<number[]> {
    await this.partitions.ensure(days);
    const all = await Promise.all(
      rows.sets.map(({ lane, rows: set }) => (this.lanes[lane] as Batches<Chunk, Saved>).add({ orgId, rows: set })),
    );
    return all
      .flatMap((saved) => {
        if ('error' in saved) throw saved.error;
        return saved;
      })
      .sort((a, b) => a - b);
  }

  /** One organisation after the other; those with few samples first, as they delay the others least. */
  private async save(chunks: readonly Chunk[]): Promise<Saved[]> {
    const saved = new Map<Chunk, Saved>();
    const fail = (some: readonly Chunk[], error: unknown): void => {
      for (const chunk of some) if (!saved.has(chunk)) saved.set(chunk, { error });
    };
    const byOrganisation = [...Map.groupBy(chunks, ({ orgId }) => orgId)];
    let late = 0;
    for (const [orgId, ofOne] of byOrganisation.toSorted(([, one], [, other]) => samplesOf(one) - samplesOf(other)))
      try {
        await this.saveOfOne(orgId, ofOne, saved);
      } catch (error) {
        const isLate = isOutOfTime(error) || isLockBusy(error);
        if (isLate) late++;
        // The statements of others would fail as well, each after as long.
        const concernsAll = isLate ? late === MAX_LATE : isAway(error);
        fail(concernsAll ? chunks : ofOne, error);
        if (concernsAll) break;
      }
    return chunks.map((chunk) => saved.get(chunk) as Saved);
  }

  /** Concurrent requests of an organisation are written by one statement. */
  private async saveOfOne(orgId: string, chunks: readonly Chunk[], saved: Map<Chunk, Saved>): Promise<void> {
    let together: Chunk[] = [];
    let count = 0;
    for (const chunk of chunks) {
      if (count + chunk.rows.count > SAMPLES_AT_ONCE && count > 0) {
        await this.saveTogether(orgId, together, saved);
        [together, count] = [[], 0];
      }
      together.push(chunk);
      count += chunk.rows.count;
    }
    await this.saveTogether(orgId, together, saved);
  }

  private async saveTogether(orgId: string, chunks: readonly Chunk[], saved: Map<Chunk, Saved>): Promise<void> {
    // Building the parameters takes some milliseconds.
    if (sliceIsOver()) await nextSlice();
    const found = await this.saveRows(
      orgId,
      chunks.map(({ rows }) => rows),
    );
    let [from, at] = [0, 0];
    for (const chunk of chunks) {
      const { rows } = chunk;
      const places: number[] = [];
      for (; at < found.length && (found[at] as number) < from + rows.count; at++)
        places.push(rows.places[(found[at] as number) - from] as number);
      saved.set(chunk, places);
      from += rows.count;
    }
  }

  private async saveRows(orgId: string, sets: readonly SampleRows[]): Promise<number[]> {
    try {
      return await saveSamples(this.statements, orgId, sets);
    } catch (error) {
      if (unpartitionedTable(error) === undefined) throw error;
      // A day was dropped that still receives samples: another replica keeps fewer days, or its clock
      // differs.
      this.partitions.doubt();
      await this.partitions.ensure(new Set(sets.flatMap((rows) => rows.days(DAY_MS))));
      return saveSamples(this.statements, orgId, sets);
    }
  }
}
