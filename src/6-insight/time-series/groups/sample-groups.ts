import { nextSlice, sliceIsOver } from '../../../1-platform/common/work/slices';
import type { SampleRows } from '../rows/sample-rows';

/** Series of a group: a row has a bit for each of them. */
export const SERIES_OF_A_GROUP = 64;

export const groupOf = (seriesId: number): number => Math.floor(seriesId / SERIES_OF_A_GROUP);

const HALF = SERIES_OF_A_GROUP / 2;

/** How many bits of 32 are set. */
function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Which series of a group have a sample: 64 bits, in halves. */
export interface Places {
  readonly high: number;
  readonly low: number;
}

const has = ({ high, low }: Places, place: number): boolean =>
  ((place < HALF ? low >>> place : high >>> (place - HALF)) & 1) === 1;

/** How many series before this place have a sample. */
const before = ({ high, low }: Places, place: number): number =>
  place < HALF ? bitsIn(low & (2 ** place - 1)) : bitsIn(low) + bitsIn(high & (2 ** (place - HALF) - 1));

/** A row as it is stored. */
export interface StoredGroup extends Places {
  readonly values: readonly number[];
}

/** A row to write. */
export class Group implements Places {
  high = 0;
  low = 0;
  /** Of its first value, among those of all rows. */
  first = 0;

  constructor(
    readonly group: number,
    readonly time: number,
  ) {}

  get count(): number {
    return bitsIn(this.low) + bitsIn(this.high);
  }

  /** @returns false if it has that place already */
  take(place: number): boolean {
    if (has(this, place)) return false;
    if (place < HALF) this.low |= 1 << place;
    else this.high |= 1 << (place - HALF);
    return true;
  }
}

/** Samples between two checks of the time. */
const SAMPLES_OF_A_STEP = 1_000;

type Visit = (sample: number, id: number, time: number, value: number) => void;

/** The rows of `grouped_samples` that sets of samples become. */
export class SampleGroups {
  readonly rows: Group[] = [];
  /** Of all rows, one after the other. */
  values = new Float64Array(0);
  /** Rows with a series and time that occur again among the samples: the first value counts. */
  readonly repeated = new Set<number>();
  /** The row of each sample, counted through all sets. */
  private readonly rowOf: Uint32Array;

  private constructor(private readonly sets: readonly SampleRows[]) {
    this.rowOf = new Uint32Array(sets.reduce((sum, { count }) => sum + count, 0));
  }

  /** In slices. */
  static async of(sets: readonly SampleRows[]): Promise<SampleGroups> {
    const groups = new SampleGroups(sets);
    await groups.fill(await groups.makeRows());
    return groups;
  }

  /** @returns the samples whose series and time have occurred before */
  private async makeRows(): Promise<number[]> {
    const { rows, rowOf, repeated } = this;
    const again: number[] = [];
    const byTime = new Map<number, Map<number, number>>();
    let row = -1;
    await this.each((sample, id, time) => {
      const group = groupOf(id);
      // Samples of a scrape come in a row.
      const last = rows[row];
      if (last?.group !== group || last.time !== time) {
        let ofTime = byTime.get(time);
        if (!ofTime) byTime.set(time, (ofTime = new Map<number, number>()));
        row = ofTime.get(group) ?? rows.push(new Group(group, time)) - 1;
        ofTime.set(group, row);
      }
      rowOf[sample] = row;
      if ((rows[row] as Group).take(id % SERIES_OF_A_GROUP)) return;
      repeated.add(row);
      again.push(sample);
    });
    return again;
  }

  private async fill(again: readonly number[]): Promise<void> {
    let count = 0;
    for (const one of this.rows) {
      one.first = count;
      count += one.count;
    }
    const values = new Float64Array(count);
    let next = 0;
    await this.each((sample, id, _time, value) => {
      if (again[next] === sample) {
        next++;
        return;
      }
      const one = this.rows[this.rowOf[sample] as number] as Group;
      values[one.first + before(one, id % SERIES_OF_A_GROUP)] = value;
    });
    this.values = values;
  }

  /**
   * @param stored rows as they are stored now, by their position here
   * @returns the positions of the samples that have another value there, counted through all sets
   */
  async differing(stored: ReadonlyMap<number, StoredGroup>): Promise<number[]> {
    const found: number[] = [];
    await this.each((sample, id, _time, value) => {
      const row = stored.get(this.rowOf[sample] as number);
      const place = id % SERIES_OF_A_GROUP;
      if (!row || !has(row, place)) return;
      const there = row.values[before(row, place)];
      if (there !== value && !(Number.isNaN(there) && Number.isNaN(value))) found.push(sample);
    });
    return found;
  }

  private async each(visit: Visit): Promise<void> {
    let sample = 0;
    for (const { ids, times, values, count } of this.sets)
      for (let place = 0; place < count; place++) {
        visit(sample++, ids[place] as number, times[place] as number, values[place] as number);
        if (sample % SAMPLES_OF_A_STEP === 0 && sliceIsOver()) await nextSlice();
      }
  }
}
