import { lazy, Suspense } from 'react';
import { Loading } from '../parts/states';

export interface TimeLine {
  readonly name: string;
  /** Its dash is what tells it apart without colour. */
  readonly kind: 'solid' | 'dashed';
  /** One for each time; null where nothing is known, which is a gap. */
  readonly values: readonly (number | null)[];
}

export interface TimeLinesProps {
  /** Milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly lines: readonly TimeLine[];
  /** What the picture says: it is an image for those who cannot see it. */
  readonly label: string;
  readonly format: (value: number) => string;
  /** The end of the axis; undefined: the highest value. */
  readonly most?: number;
}

/** The library comes with the first picture that needs it. */
const Plotted = lazy(async () => ({ default: (await import('./plotted-lines')).PlottedLines }));

/** Lines over time. Their values are read out under the pointer. */
export const TimeLines = (props: TimeLinesProps) => (
  <Suspense fallback={<Loading lines={6} />}>
    <Plotted {...props} />
  </Suspense>
);
