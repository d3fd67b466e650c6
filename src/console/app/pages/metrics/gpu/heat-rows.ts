import type { Schemas } from '../../../api/client';
import { plural } from '../../../parts/units';

/** What a heat map shows, computed from the bins of the service. */

export type HeatMap = Schemas['GpuHeatmapView'];
export type HeatRow = HeatMap['rows'][number];
export type Layer = 'utilization' | 'memory_used';

/** Percent. A value belongs to the last level that it reaches. The colours are in `heat-map.module.css`. */
export const LEVELS = [
  { from: 0, words: 'under 1 %' },
  { from: 1, words: '1 to 25 %' },
  { from: 25, words: '25 to 50 %' },
  { from: 50, words: '50 to 75 %' },
  { from: 75, words: '75 % and more' },
] as const;

/** Undefined: not reported. */
export const levelOf = (percent: number | null | undefined): number | undefined =>
  percent == null ? undefined : LEVELS.findLastIndex(({ from }) => percent >= from);

export const percent = (value: number | null | undefined): string =>
  value == null ? 'not reported' : `${value.toFixed(value > 0 && value < 10 ? 1 : 0)} %`;

/** A node, or a GPU of the chosen one. */
export const nameOf = (row: HeatRow): string =>
  row.gpu_uuid === null ? row.node_name || 'unknown node' : `GPU ${row.gpu_index || row.gpu_uuid}`;

/** How the address names a row. */
export const keyOf = (row: HeatRow): string => row.gpu_uuid ?? row.node_name;

export const beginOf = (map: HeatMap, bin: number): number => Date.parse(map.from) + bin * map.bin_seconds * 1_000;

/** The bin with this time; undefined: it is outside the window. */
export function binAt(map: HeatMap, at: number): number | undefined {
  const bin = Math.floor((at - Date.parse(map.from)) / (map.bin_seconds * 1_000));
  return bin >= 0 && bin < map.bins ? bin : undefined;
}

const TIME = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const CLOCK = new Intl.DateTimeFormat('en-GB', TIME);
const DAY_AND_CLOCK = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...TIME });

const LONG_S = 20 * 3_600;

/** From when until when, with the day where the window has several. */
export const spanWords = (map: Pick<HeatMap, 'bins' | 'bin_seconds'>, from: number, until: number): string => {
  const clock = map.bins * map.bin_seconds > LONG_S ? DAY_AND_CLOCK : CLOCK;
  return `${trim(clock.format(from))} to ${trim(clock.format(until))}`;
};
/** Whole minutes need no seconds. */
const trim = (text: string): string => text.replace(/(\d\d:\d\d):00$/, '$1');

/** The time of each bin. */
export const spansOf = (map: HeatMap): readonly string[] =>
  Array.from({ length: map.bins }, (_, bin) => spanWords(map, beginOf(map, bin), beginOf(map, bin + 1)));

export const holderOf = (map: HeatMap, row: HeatRow, bin: number): HeatMap['holders'][number] | undefined => {
  const place = row.holder[bin];
  return place == null ? undefined : map.holders[place];
};

export const podName = ({ namespace, pod_name: name }: HeatMap['holders'][number]): string =>
  namespace === null ? name : `${namespace}/${name}`;

/** All that a cell stands for, in words. @param span the time of its bin */
export function cellWords(map: HeatMap, row: HeatRow, bin: number, span: string): string {
  const where = `${nameOf(row)}, ${span}`;
  if (row.reported[bin] === 0) return `${where}: not reported`;
  const figures = `utilisation ${percent(row.utilization[bin])}, memory ${percent(row.memory_used[bin])}`;
  const some =
    row.gpu_uuid === null && (row.reported[bin] ?? 0) < row.gpus
      ? `, ${row.reported[bin]} of ${plural(row.gpus, 'GPU')} reported`
      : '';
  const holder = holderOf(map, row, bin);
  return `${where}: ${figures}${some}${holder ? `, ${podName(holder)}` : ''}`;
}

const NAMES: Readonly<Record<Layer, string>> = { utilization: 'utilisation', memory_used: 'used memory' };

/** What the picture says, in a sentence: the whole of what is drawn, and how much is missing. */
export function summaryOf(map: HeatMap, layer: Layer, node: string | undefined, after: number): string {
  const known = map.rows.flatMap((row) =>
    row[layer].flatMap((value, bin) => (value === null ? [] : [{ value, weight: row.reported[bin] ?? 0 }])),
  );
  const cells = map.rows.length * map.bins;
  const missing = map.rows.reduce((sum, row) => sum + row.reported.filter((gpus) => gpus === 0).length, 0);
  const gpus = map.rows.reduce((sum, row) => sum + row.gpus, 0);
  const weight = known.reduce((sum, one) => sum + one.weight, 0);
  const figure =
    known.length === 0
      ? `${NAMES[layer]} was not reported`
      : map.measure === 'max'
        ? `highest ${NAMES[layer]} ${percent(known.reduce((most, { value }) => Math.max(most, value), 0))}`
        : `mean ${NAMES[layer]} ${percent(known.reduce((sum, one) => sum + one.value * one.weight, 0) / weight)}`;
  const drawn =
    map.rows.length < map.total_rows
      ? `${node === undefined ? 'nodes' : 'GPUs'} ${after + 1} to ${after + map.rows.length} of ${map.total_rows} are drawn`
      : node === undefined
        ? `${plural(map.rows.length, 'node')} with ${plural(gpus, 'GPU')}`
        : plural(map.rows.length, 'GPU');
  const gaps =
    missing === 0 ? '' : `; ${Math.max(1, Math.round((100 * missing) / cells))} % of the cells were not reported`;
  return `${drawn}: ${figure}${gaps}`;
}

/** How exact the cells are. */
export const exactness = ({ samples_per_bin: each, measure }: HeatMap): string =>
  each === null
    ? `Each cell is the ${measure === 'max' ? 'largest' : 'mean'} of all its samples.`
    : `Each cell is the ${measure === 'max' ? 'largest' : 'mean'} of ${each === 1 ? 'one sample' : `up to ${each} samples`} of a GPU, spread over it.`;

export interface Place {
  readonly row: number;
  readonly bin: number;
}

/** Where a key leads from a cell; undefined: the key is not one of the grid's. */
export function moved({ row, bin }: Place, key: string, rows: number, bins: number): Place | undefined {
  const to: Readonly<Record<string, Place>> = {
    ArrowLeft: { row, bin: Math.max(0, bin - 1) },
    ArrowRight: { row, bin: Math.min(bins - 1, bin + 1) },
    ArrowUp: { row: Math.max(0, row - 1), bin },
    ArrowDown: { row: Math.min(rows - 1, row + 1), bin },
    Home: { row, bin: 0 },
    End: { row, bin: bins - 1 },
    PageUp: { row: 0, bin },
    PageDown: { row: rows - 1, bin },
  };
  return to[key];
}

/** A time in which one pod held a GPU, bin after bin. */
export interface Held {
  readonly row: HeatRow;
  readonly holder: HeatMap['holders'][number];
  readonly from: number;
  readonly until: number;
  /** Mean percent over its bins. */
  readonly utilization: number | null;
  readonly memory: number | null;
}

const meanOf = (values: readonly (number | null | undefined)[]): number | null => {
  const known = values.filter((value) => value != null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
};

/** Who held each GPU, from when until when; a bin without a pod, or with another one, ends it. */
export const heldOf = (map: HeatMap): readonly Held[] =>
  map.rows.flatMap((row) => {
    const spans: Held[] = [];
    let begin = 0;
    for (let bin = 1; bin <= map.bins; bin++) {
      if (bin < map.bins && row.holder[bin] === row.holder[begin]) continue;
      const holder = holderOf(map, row, begin);
      if (holder)
        spans.push({
          row,
          holder,
          from: beginOf(map, begin),
          until: beginOf(map, bin),
          utilization: meanOf(row.utilization.slice(begin, bin)),
          memory: meanOf(row.memory_used.slice(begin, bin)),
        });
      begin = bin;
    }
    return spans;
  });
