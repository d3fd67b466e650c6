import { Injectable } from '@nestjs/common';
import { Batches } from '../database/batches';
import { sqlState } from '../database/database-errors';
import { StatementPool } from '../database/statement-pool';
import { DAY_MS, SamplePartitions } from './sample-partitions';
import { ROWS_AT_ONCE, type SampleRows } from './sample-rows';
import { saveSamples } from './samples.queries';

/** Statements of samples at the same time: hot routes use the same connections. */
const LANES = 2;

const NO_PARTITION = '23514';

interface Chunk {
  readonly orgId: string;
  readonly rows: SampleRows;
}

/** Writes rows of samples: what several requests tell at the same time by one statement. */
@Injectable()
export class SampleStore {
  private readonly lanes: Batches<Chunk, void>[];
  private nextLane = 0;

  constructor(
    private readonly statements: StatementPool,
    private readonly partitions: SamplePartitions,
  ) {
    this.lanes = Array.from({ length: LANES }, () => new Batches((chunks) => this.save(chunks), { maxItems: 64 }));
  }

  /** @param days of the rows */
  async add(orgId: string, sets: readonly SampleRows[], days: Iterable<number>): Promise<void> {
    await this.partitions.ensure(days);
    await Promise.all(sets.map((rows) => this.lane().add({ orgId, rows })));
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
}
