import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../../parts/page';
import { Loaded, NothingYet } from '../../../parts/states';
import type { Column } from '../../../parts/table/data-table';
import { SmallTable } from '../../../parts/table/small-table';
import { exact } from '../../../parts/time/moment';
import { plural } from '../../../parts/units';
import { momentQuery } from '../metrics-queries';
import { holderOf, nameOf, percent, type HeatMap, type HeatRow } from './heat-rows';
import { PodLink } from './pod-link';
import styles from '../metrics.module.css';

interface MomentProps {
  readonly node: string;
  /** Only this GPU of it. */
  readonly gpu: string | undefined;
  /** Milliseconds. */
  readonly from: number;
  readonly seconds: number;
  readonly close: () => void;
}

/** What ran on a node while a cell of the heat map lasted. */
export function Moment({ node, gpu, from, seconds, close }: MomentProps) {
  const until = from + seconds * 1_000;
  const query = useQuery(momentQuery(node, from, until));
  const span = `${exact(from)} to ${exact(until)}`;
  const title = `What ran on ${node || 'the unknown node'}`;
  return (
    <Section
      title={title}
      summary={
        <>
          {query.data === undefined && span}
          <span role="status">{query.data && `${span}: ${sentenceOf(query.data, gpu)}`}</span>
        </>
      }
      aside={
        <Button size="compact-xs" variant="default" onClick={close}>
          Close
        </Button>
      }
    >
      <Loaded query={query} lines={3}>
        {(map) => {
          const rows = rowsOf(map, gpu);
          return rows.length === 0 ? (
            <NothingYet title="Nothing was reported in this time">
              The node was off, or its exporter did not report. Workloads may have run all the same.
            </NothingYet>
          ) : (
            <SmallTable label={title} columns={columnsOf(map)} rows={rows} keyOf={(row) => row.gpu_uuid ?? ''} />
          );
        }}
      </Loaded>
    </Section>
  );
}

const rowsOf = (map: HeatMap, gpu: string | undefined): readonly HeatRow[] =>
  map.rows.filter((row) => gpu === undefined || row.gpu_uuid === gpu);

function sentenceOf(map: HeatMap, gpu: string | undefined): string {
  const rows = rowsOf(map, gpu);
  const held = rows.filter((row) => row.holder[0] != null).length;
  return `${held} of ${plural(rows.length, 'GPU')} ${held === 1 ? 'was' : 'were'} held by a pod`;
}

const columnsOf = (map: HeatMap): readonly Column<HeatRow>[] => [
  { id: 'gpu', header: 'GPU', width: '5.5rem', cell: (row) => nameOf(row) },
  {
    id: 'pod',
    header: 'Pod',
    width: 'minmax(11rem, 2fr)',
    cell: (row) => {
      const holder = holderOf(map, row, 0);
      if (!holder) return <span className={styles.quiet}>no pod</span>;
      const others = (row.pods[0] ?? 1) - 1;
      return (
        <>
          <PodLink of={holder} />
          {others > 0 && <span className={styles.quiet}> and {plural(others, 'other pod')} for less of the time</span>}
        </>
      );
    },
  },
  {
    id: 'operations',
    header: 'Checkpoints',
    width: '8rem',
    cell: (row) => {
      const holder = holderOf(map, row, 0);
      return holder ? (
        <Link to="/operations" search={{ name: holder.pod_name }}>
          Its operations
        </Link>
      ) : (
        '–'
      );
    },
  },
  { id: 'use', header: 'Utilisation', width: '7rem', align: 'end', cell: (row) => percent(row.utilization[0]) },
  { id: 'memory', header: 'Used memory', width: '7rem', align: 'end', cell: (row) => percent(row.memory_used[0]) },
  { id: 'model', header: 'Model', width: 'minmax(8rem, 1fr)', cell: ({ model_name: model }) => model ?? 'unknown' },
];
