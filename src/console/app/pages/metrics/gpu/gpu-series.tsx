import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Schemas } from '../../../api/client';
import type { TimeLine } from '../../../charts/plotted-lines';
import { TimeLines } from '../../../charts/time-lines';
import { withGaps } from '../../../charts/gaps';
import { Picture } from '../../../parts/picture';
import { Loaded, NothingYet } from '../../../parts/states';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { exact } from '../../../parts/time/moment';
import { plural } from '../../../parts/units';
import { gpuSeriesQuery, MOST_GPU_HOURS } from '../metrics-queries';
import { hoursOf, windowWords, type Change, type MetricsSearch } from '../metrics-search';
import { percent } from './heat-rows';

type Series = Schemas['GpuTimeseriesView'];
type Point = Series['data'][number];

interface GpuSeriesProps {
  readonly uuid: string;
  readonly search: Partial<MetricsSearch>;
  readonly change: Change;
}

/** The samples of one GPU. */
export function GpuSeries({ uuid, search, change }: GpuSeriesProps) {
  const query = useQuery(gpuSeriesQuery(uuid, hoursOf(search)));
  const words = hoursOf(search) > MOST_GPU_HOURS ? 'last 24 hours, which is as far as samples go' : windowWords(search);
  const { data } = query;
  return (
    <Picture
      title={data === undefined ? 'Samples of a GPU' : `Samples of GPU ${data.gpu_index || uuid}`}
      summary={data && `${data.node_name || 'unknown node'}, ${data.model_name ?? uuid}: ${sentenceOf(data, words)}`}
      isTable={search.samples === 'table'}
      show={(table) => change({ samples: table ? 'table' : undefined })}
      table={<Loaded query={query}>{(series) => <PointTable points={series.data} />}</Loaded>}
    >
      <Loaded query={query}>
        {(series) =>
          series.data.length === 0 ? (
            <NothingYet title={`No sample in the ${words}`} />
          ) : (
            <Chart series={series} label={sentenceOf(series, words)} />
          )
        }
      </Loaded>
    </Picture>
  );
}

function Chart({ series, label }: { series: Series; label: string }) {
  const { times, lines } = useMemo(() => linesOf(series.data), [series]);
  return <TimeLines times={times} lines={lines} label={label} format={percent} most={100} />;
}

const usedOf = ({ memory_used_mib: used, memory_free_mib: free }: Point): number | null =>
  used === null || free === null || used + free === 0 ? null : (100 * used) / (used + free);

function linesOf(points: readonly Point[]): { times: readonly number[]; lines: readonly TimeLine[] } {
  const { times, rows } = withGaps(points, ({ timestamp: at }) => Date.parse(at));
  return {
    times,
    lines: [
      { name: 'Utilisation', kind: 'solid', values: rows.map((point) => point?.gpu_utilization ?? null) },
      { name: 'Used memory', kind: 'dashed', values: rows.map((point) => (point ? usedOf(point) : null)) },
    ],
  };
}

function sentenceOf({ data }: Series, words: string): string {
  const known = data.flatMap(({ gpu_utilization: value }) => (value === null ? [] : [value]));
  if (known.length === 0) return `${plural(data.length, 'sample')} in the ${words}, none of the utilisation`;
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  return `${plural(data.length, 'sample')} in the ${words}, mean utilisation ${percent(mean)}`;
}

const PointTable = ({ points }: { points: readonly Point[] }) => (
  <DataTable
    label="Samples of the GPU"
    columns={COLUMNS}
    source={sourceOf(points.toReversed())}
    keyOf={({ timestamp: at }) => at}
  />
);

const COLUMNS: readonly Column<Point>[] = [
  { id: 'at', header: 'Time', width: 'minmax(11rem, 1fr)', cell: ({ timestamp: at }) => exact(Date.parse(at)) },
  { id: 'use', header: 'Utilisation', width: '7rem', align: 'end', cell: (point) => percent(point.gpu_utilization) },
  { id: 'memory', header: 'Used memory', width: '7.5rem', align: 'end', cell: (point) => percent(usedOf(point)) },
  {
    id: 'pod',
    header: 'Pod',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ namespace, pod_name: pod }) => (pod === null ? '–' : namespace === null ? pod : `${namespace}/${pod}`),
  },
];
