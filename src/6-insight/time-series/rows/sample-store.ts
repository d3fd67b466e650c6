import { Injectable } from '@nestjs/common';
import { nextSlice, sliceIsOver } from '../../../1-platform/common/work/slices';
import { Batches } from '../../../1-platform/common/work/batches';
import { unpartitionedTable } from '../../../1-platform/database/connections/database-errors';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { saveSamples } from '../groups/grouped-samples.queries';
import { groupOf } from '../groups/sample-groups';
import { DAY_MS, SamplePartitions } from './sample-partitions';
import { SAMPLES_AT_ONCE, SampleRows } from './sample-rows';

/** Concurrent sample statements: hot routes use the same connections. */
const LANES = 2;

/**
 * Samples of one request. All samples of a group take the same path, so that the first of two with the same
 * time stands, and one statement at a time writes to a row.
 */
export class LaneRows {
  readonly sets: { readonly lane: number; readonly rows: SampleRows }[] = [];
  private readonly open: (SampleRows | undefined)[] = [];

  /** @param capacity samples of the request */
  constructor(private readonly capacity: number) {}

  add(seriesId: number, milliseconds: number, value: number | null, place: number): void {
    const lane = groupOf(seriesId) % LANES;
    let rows = this.open[lane];
    if (!rows || rows.count === SAMPLES_AT_ONCE) {
      rows = new SampleRows(Math.min(SAMPLES_AT_ONCE, this.capacity));
      this.open[lane] = rows;
      this.sets.push({ lane, rows });
    }
    rows.add(seriesId, milliseconds, value, place);
  }
}

interface Chunk {
  readonly orgId: string;
  readonly rows: SampleRows;
}

/** Writes rows of samples: those of several concurrent requests by one statement. */
@Injectable()
export class SampleStore {
  private readonly lanes: Batches<Chunk, number[]>[];

  constructor(
    private readonly statements: StatementPool,
    private readonly partitions: SamplePartitions,
  ) {
    this.lanes = Array.from({ length: LANES }, () => new Batches((chunks) => this.save(chunks), { maxItems: 64 }));
  }

  /**
   * @param days of the rows
   * @returns the positions in their request of the samples whose time already has another value
   */
  async add(orgId: string, rows: LaneRows, days: Iterable<number>): Promise<number[]> {
    await this.partitions.ensure(days);
    const conflicts = await Promise.all(
      rows.sets.map(({ lane, rows: set }) => (this.lanes[lane] as Batches<Chunk, number[]>).add({ orgId, rows: set })),
    );
    return conflicts.flat().sort((a, b) => a - b);
  }

  /** Concurrent requests of an organisation are written by one statement. */
  private async save(chunks: readonly Chunk[]): Promise<number[][]> {
    const conflicts = new Map<Chunk, number[]>();
    const byOrganisation = Map.groupBy(chunks, ({ orgId }) => orgId);
    for (const [orgId, ofOne] of byOrganisation) {
      let together: Chunk[] = [];
      let count = 0;
      for (const chunk of ofOne) {
        if (count + chunk.rows.count > SAMPLES_AT_ONCE && count > 0) {
          await this.saveTogether(orgId, together, conflicts);
          [together, count] = [[], 0];
        }
        together.push(chunk);
        count += chunk.rows.count;
      }
      await this.saveTogether(orgId, together, conflicts);
    }
    return chunks.map((chunk) => conflicts.get(chunk) ?? []);
  }

  private async saveTogether(orgId: string, chunks: readonly Chunk[], conflicts: Map<Chunk, number[]>): Promise<void> {
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
      conflicts.set(chunk, places);
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
