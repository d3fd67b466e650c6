import { invalidField } from '../../../1-platform/common/answers/problem';
import { HOUR_MS } from '../metric-window.queries';
import {
  DEFAULT_BINS,
  DEFAULT_HEATMAP_HOURS,
  MAX_HEATMAP_HOURS,
  MAX_SPREAD,
  type GpuHeatmapQuery,
} from './gpu-heatmap.dto';

/** Equal bins, one after the other. */
export interface Bins {
  readonly from: Date;
  /** The end of the last bin, which is not part of it. */
  readonly until: Date;
  /** The last moment that is read: a sample of a clock that is ahead appears once its time has come. */
  readonly to: Date;
  readonly bins: number;
  /** Whole milliseconds. */
  readonly binMs: number;
  /** How many samples of a series are read in each bin, spread over it; null: all. */
  readonly samplesPerBin: number | null;
}

/**
 * Of longer windows, some samples are read. Those of one series are spread over the whole table: all of 320
 * GPUs took 25 s for a day, where 192 of each series took 3 s, however long the window.
 */
const ALL_READ_MS = { ofNodes: 2 * HOUR_MS, ofOneNode: 6 * HOUR_MS };

const LEAST_BIN_MS = 1_000;

type Asked = Pick<GpuHeatmapQuery, 'hours' | 'from' | 'until' | 'bins' | 'node_name'>;

/** @param now of the database. @throws a problem that names the field */
export function binsOfQuery({ hours, from, until, bins = DEFAULT_BINS, node_name: node }: Asked, now: Date): Bins {
  if (from !== undefined && hours !== undefined) throw invalidField('hours', 'must not be given together with from');
  const end = until === undefined ? now.getTime() : Date.parse(until);
  const begin = from === undefined ? end - (hours ?? DEFAULT_HEATMAP_HOURS) * HOUR_MS : Date.parse(from);
  const lengthMs = end - begin;
  if (lengthMs < LEAST_BIN_MS) throw invalidField('from', 'must be at least a second before until, or before now');
  if (lengthMs > MAX_HEATMAP_HOURS * HOUR_MS)
    throw invalidField('from', `must be at most ${MAX_HEATMAP_HOURS} hours before until, or before now`);
  if (lengthMs < bins * LEAST_BIN_MS) throw invalidField('bins', 'must leave at least a second for each bin');
  const binMs = Math.ceil(lengthMs / bins);
  // A window that moves on shows the same bins, until the next one begins.
  const last = until === undefined && from === undefined ? Math.ceil(end / binMs) * binMs : begin + bins * binMs;
  return {
    from: new Date(last - bins * binMs),
    until: new Date(last),
    to: new Date(Math.min(last - 1, now.getTime())),
    bins,
    binMs,
    samplesPerBin:
      lengthMs <= ALL_READ_MS[node === undefined ? 'ofNodes' : 'ofOneNode'] ? null : Math.floor(MAX_SPREAD / bins),
  };
}
