import { lazy, Suspense } from 'react';
import { Loading } from '../parts/states';
import type { TimeLinesProps } from './plotted-lines';

/** The library comes with the first picture that needs it. */
const Plotted = lazy(async () => ({ default: (await import('./plotted-lines')).PlottedLines }));

/** Lines over time. Their values are read out under the pointer. */
export const TimeLines = (props: TimeLinesProps) => (
  <Suspense fallback={<Loading lines={6} />}>
    <Plotted {...props} />
  </Suspense>
);
