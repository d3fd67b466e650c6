/** Samples of one statement, which takes some milliseconds; several requests share one. */
export const SAMPLES_AT_ONCE = 20_000;

/** Of a sample to write: its series, its time, its value and its place. */
const BYTES_OF_A_ROW = 8 + 8 + 8 + 4;

/** Samples to write, in columns. */
export class SampleRows {
  readonly ids: Float64Array;
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** Positions of the samples in their request. */
  readonly places: Uint32Array;
  count = 0;

  /** Memory for so many samples. */
  static readonly bytesOf = (capacity: number): number => capacity * BYTES_OF_A_ROW;

  constructor(capacity: number) {
    this.places = new Uint32Array(capacity);
    this.ids = new Float64Array(capacity);
    this.times = new Float64Array(capacity);
    this.values = new Float64Array(capacity);
  }

  /** @param value null is kept and stored as NaN: no other value is NaN */
  add(seriesId: number, milliseconds: number, value: number | null, place = 0): void {
    this.places[this.count] = place;
    this.ids[this.count] = seriesId;
    this.times[this.count] = milliseconds;
    this.values[this.count++] = value ?? NaN;
  }

  /** The beginnings of their days. */
  days(dayMs: number): number[] {
    const days = new Set<number>();
    for (let place = 0; place < this.count; place++)
      days.add(Math.floor((this.times[place] as number) / dayMs) * dayMs);
    return [...days];
  }
}
