import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { withGaps } from '../../../charts/gaps';
import { TimeLines } from '../../../charts/time-lines';
import { Picture } from '../../../parts/picture';
import { Loaded, NothingYet } from '../../../parts/states';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { exact } from '../../../parts/time/moment';
import { bytes, plural } from '../../../parts/units';
import { MOST_SAMPLES, podSeriesQuery } from '../metrics-queries';
import { hoursOf, windowWords, type Change, type MetricsSearch } from '../metrics-search';
import { pointsOf, type PodPoint, type PodSample } from './pod-series';
import styles from '../metrics.module.css';

interface PodSeriesProps {
  readonly uid: string;
  readonly search: Partial<MetricsSearch>;
  readonly change: Change;
}

const coresWords = (cores: number): string => `${cores.toFixed(cores < 10 ? 2 : 1)} cores`;
const bytesWords = (value: number): string => bytes(Math.round(value));

/** The CPU cores and the memory that one pod used. */
export function PodSeries({ uid, search, change }: PodSeriesProps) {
  const query = useQuery(podSeriesQuery(uid, hoursOf(search)));
  const { data } = query;
  const points = useMemo(() => pointsOf(data ?? []), [data]);
  const pod = data?.[0];
  const loaded = (shown: ReactNode) => (
    <Loaded query={query}>
      {(samples) =>
        samples.length > 0 ? (
          shown
        ) : (
          <NothingYet title={`No sample of this pod in the ${windowWords(search)}`}>
            <Button size="xs" variant="default" onClick={() => change({ pod: undefined })}>
              Close
            </Button>
          </NothingYet>
        )
      }
    </Loaded>
  );
  return (
    <Picture
      title={pod ? `Use of ${pod.pod_name ?? uid}` : 'Use of a pod'}
      summary={data && data.length > 0 ? sentenceOf(data, windowWords(search)) : undefined}
      isTable={search.samples === 'table'}
      show={(table) => change({ samples: table ? 'table' : undefined })}
      table={loaded(<PointTable points={points} />)}
    >
      {loaded(<Charts points={points} />)}
    </Picture>
  );
}

/** Newest first. */
function sentenceOf(samples: readonly PodSample[], words: string): string {
  const [newest] = samples;
  const where = newest?.node_name ? `on ${newest.node_name}, ` : '';
  const oldest = samples.at(-1);
  return samples.length < MOST_SAMPLES || !oldest
    ? `${where}${plural(samples.length, 'sample')} in the ${words}`
    : `${where}the newest ${MOST_SAMPLES} samples, since ${exact(Date.parse(oldest.timestamp))}`;
}

const Charts = ({ points }: { points: readonly PodPoint[] }) => {
  const { times, cores, memory } = useMemo(() => {
    const { times: all, rows } = withGaps(points, ({ at }) => at);
    return {
      times: all,
      cores: [{ name: 'CPU cores', kind: 'solid' as const, values: rows.map((point) => point?.cores ?? null) }],
      memory: [{ name: 'Memory', kind: 'dashed' as const, values: rows.map((point) => point?.bytes ?? null) }],
    };
  }, [points]);
  return (
    <div className={styles.charts}>
      <TimeLines times={times} lines={cores} label="CPU cores that the pod used over time" format={coresWords} />
      <TimeLines times={times} lines={memory} label="Memory that the pod used over time" format={bytesWords} />
    </div>
  );
};

const PointTable = ({ points }: { points: readonly PodPoint[] }) => (
  <DataTable
    label="Samples of the pod"
    columns={COLUMNS}
    source={sourceOf(points.toReversed())}
    keyOf={({ at }) => String(at)}
  />
);

const COLUMNS: readonly Column<PodPoint>[] = [
  { id: 'at', header: 'Time', width: 'minmax(11rem, 1fr)', cell: ({ at }) => exact(at) },
  {
    id: 'cores',
    header: 'CPU',
    width: '9rem',
    align: 'end',
    cell: ({ cores }) => (cores === null ? 'unknown' : coresWords(cores)),
  },
  {
    id: 'memory',
    header: 'Memory',
    width: '9rem',
    align: 'end',
    cell: ({ bytes: used }) => (used === null ? 'not reported' : bytesWords(used)),
  },
];
