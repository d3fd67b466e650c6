import { oneOf, searchOf } from '../../parts/search';

/** What the colours of the map stand for. */
export const MEASURES = ['status', 'compute', 'capacity'] as const;
export type Measure = (typeof MEASURES)[number];

export const clustersSearch = searchOf((raw) => ({
  by: oneOf(MEASURES)(raw.by),
  kind: oneOf(['kubernetes', 'slurm'])(raw.kind),
  status: oneOf(['active', 'inactive'])(raw.status),
}));
