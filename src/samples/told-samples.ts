import { hash } from 'node:crypto';
import type { ToldKind } from './sample-mapping';
import type { Labels } from './series-labels';

/** Bounds of what one request may hold: its bytes are bounded, but two bytes can be a sample. */
export const MAX_SAMPLES = 500_000;
export const MAX_SERIES = 100_000;
/** Of the labels of all its series, written out: a text that stands in it once may be a label of each of them. */
const MAX_LABEL_CHARACTERS = 64 * 1_024 * 1_024;

/** What a series is called. */
export interface SeriesName {
  readonly name: string;
  readonly labels: Labels;
  readonly kind: ToldKind;
}

/** Samples of one series as a request tells them: a range of the arrays of its batch. */
export interface ToldSeries {
  /** The same bytes have the same key: what is known of a series is found without reading its labels. */
  readonly key: string;
  readonly from: number;
  readonly to: number;
  /** @throws MalformedSeries */
  describe(): SeriesName;
}

/** A series whose name cannot be read. The text completes "a series …". */
export class MalformedSeries extends Error {}

/** A body that is no message of its protocol. */
export class UnreadableBody extends Error {}

/** A body with more in it than a request may have. */
export class TooMuchAtOnce extends Error {}

/** What a request tells, whatever its protocol. */
export class ToldSamples {
  readonly series: ToldSeries[] = [];
  /** Milliseconds since 1970, as told: any number. */
  times = new Float64Array(1_024);
  values = new Float64Array(1_024);
  count = 0;
  /** Counted and not stored. */
  histograms = 0;
  exemplars = 0;
  private labelCharacters = 0;

  addSample(milliseconds: number, value: number): void {
    if (this.count === MAX_SAMPLES) throw new TooMuchAtOnce(`more than ${MAX_SAMPLES} samples`);
    if (this.count === this.times.length) this.grow();
    this.times[this.count] = milliseconds;
    this.values[this.count++] = value;
  }

  addSeries(series: ToldSeries): void {
    if (this.series.length === MAX_SERIES) throw new TooMuchAtOnce(`more than ${MAX_SERIES} series`);
    this.series.push(series);
  }

  /** Before the labels of a series are put together. */
  takeLabels(characters: number): void {
    this.labelCharacters += characters;
    if (this.labelCharacters > MAX_LABEL_CHARACTERS)
      throw new TooMuchAtOnce(`labels of more than ${MAX_LABEL_CHARACTERS} characters in all`);
  }

  private grow(): void {
    const [times, values] = [new Float64Array(this.count * 2), new Float64Array(this.count * 2)];
    times.set(this.times);
    values.set(this.values);
    [this.times, this.values] = [times, values];
  }
}

/** Long enough that nobody finds two texts of one key. */
export const keyOf = (bytes: Uint8Array | string): string => hash('sha256', bytes, 'base64');
