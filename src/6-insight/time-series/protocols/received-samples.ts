import { hash } from 'node:crypto';
import type { MetricKind, ReportedKind } from '../rows/sample-mapping';
import type { Labels } from '../series/series-labels';

/**
 * Limits on the parts of one request: its bytes are limited, but two bytes can be a sample, or an empty
 * series.
 */
export const MAX_SAMPLES = 500_000;
export const MAX_SERIES = 100_000;
/** Fields of messages and elements of lists. */
const MAX_PARTS = 4_000_000;
/** Of the labels of all its series, written out: a single text may be a label of each of them. */
const MAX_LABEL_CHARACTERS = 64 * 1_024 * 1_024;
/** Of the labels of one series. A longer series cannot be stored, and takes long to read. */
export const MAX_SERIES_CHARACTERS = 1_024 * 1_024;
/** Labels that are read of one series: far more than can be stored. */
export const MAX_LABELS_READ = 1_000;

/** Parts between two checks of the time. */
const PARTS_OF_A_STEP = 256;

/** The name of a series. */
export interface SeriesName {
  readonly name: string;
  readonly labels: Labels;
  readonly kind: ReportedKind;
}

/** Names of the series of a request, by position. They are read only if the series is not known yet. */
export interface SeriesNames {
  /** Approximate memory in bytes, beside the body. */
  readonly bytes: number;
  /**
   * The same labels in the same form have the same key: a known series is found without reading its labels.
   */
  keyOf(series: number): string;
  /** Where the bytes of its labels define it: those bytes, a character for each. */
  formOf?(series: number): string;
  /** Whether these are the bytes of its labels. */
  hasForm?(series: number, form: string): boolean;
  /** @throws MalformedSeries */
  describe(series: number): SeriesName;
}

/** A series whose name cannot be read. The text completes "a series …". */
export class MalformedSeries extends Error {}

/** A series with so many labels that it cannot be stored. */
export class TooManyLabels extends Error {}

/** A body that is no message of its protocol. */
export class UnreadableBody extends Error {}

/** A body with more parts than a request may have. */
export class TooMuchAtOnce extends Error {}

/** Numbers whose count is not known in advance. */
class Numbers<A extends Float64Array | Uint32Array> {
  length = 0;

  constructor(
    private array: A,
    private readonly make: (length: number) => A,
  ) {}

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = this.make(this.length * 2);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length++] = value;
  }

  at(place: number): number {
    return this.array[place] as number;
  }

  /** Memory, with the room for more. */
  get bytes(): number {
    return this.array.byteLength;
  }
}

export const places = (): Numbers<Uint32Array> =>
  new Numbers(new Uint32Array(256), (length) => new Uint32Array(length));
const doubles = (): Numbers<Float64Array> => new Numbers(new Float64Array(256), (length) => new Float64Array(length));

/**
 * The content of a request, whatever its protocol. Held as numbers: a body of a few bytes must not become
 * many objects.
 */
export class ReceivedSamples {
  /** Milliseconds since 1970, as reported: any number. */
  private readonly times = doubles();
  private readonly values = doubles();
  /** Of the samples of each series. */
  private readonly ends = places();
  private readonly oversized = new Set<number>();
  private parts = 0;
  private begun = 0;
  private labelCharacters = 0;
  /** Types by metric name, which version 1.0 of remote-write sends separately from the samples. */
  readonly kinds = new Map<string, MetricKind>();
  /** Counted and not stored. */
  histograms = 0;
  exemplars = 0;

  constructor(readonly names: SeriesNames) {}

  get series(): number {
    return this.ends.length;
  }

  get samples(): number {
    return this.times.length;
  }

  /** Approximate memory in bytes, without the body itself. */
  get bytes(): number {
    return this.times.bytes + this.values.bytes + this.ends.bytes + this.names.bytes;
  }

  from(series: number): number {
    return series === 0 ? 0 : this.ends.at(series - 1);
  }

  to(series: number): number {
    return this.ends.at(series);
  }

  timeOf(sample: number): number {
    return this.times.at(sample);
  }

  valueOf(sample: number): number {
    return this.values.at(sample);
  }

  /** The series of a sample. */
  seriesOf(sample: number): number {
    let [low, high] = [0, this.series - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.to(middle) > sample) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** @throws MalformedSeries, TooManyLabels */
  describe(series: number): SeriesName {
    if (this.oversized.has(series)) throw new TooManyLabels();
    return this.names.describe(series);
  }

  /** Counts a part of the body. @returns whether a slice of the work ends here */
  part(): boolean {
    if (++this.parts > MAX_PARTS) throw new TooMuchAtOnce(`more than ${MAX_PARTS} parts`);
    return this.parts % PARTS_OF_A_STEP === 0;
  }

  addSample(milliseconds: number, value: number): void {
    if (this.samples === MAX_SAMPLES) throw new TooMuchAtOnce(`more than ${MAX_SAMPLES} samples`);
    this.times.push(milliseconds);
    this.values.push(value);
  }

  /** Called before a series is read. A series without samples counts too, and is not kept. */
  beginSeries(): void {
    if (++this.begun > MAX_SERIES) throw new TooMuchAtOnce(`more than ${MAX_SERIES} series`);
  }

  /**
   * Ends a series, whose samples are those since the previous one. @param characters of its labels, written
   * out
   */
  endSeries(characters: number): void {
    if (characters > MAX_SERIES_CHARACTERS) this.oversized.add(this.series);
    this.labelCharacters += characters;
    if (this.labelCharacters > MAX_LABEL_CHARACTERS)
      throw new TooMuchAtOnce(`labels of more than ${MAX_LABEL_CHARACTERS} characters in all`);
    this.ends.push(this.samples);
  }
}

/** Long enough that nobody finds two texts with the same key. */
export const keyOf = (bytes: Uint8Array | string): string => hash('sha256', bytes, 'base64');
