import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../../parts/page';
import { Picture } from '../../../parts/picture';
import { Loaded, NothingMatches, NothingYet } from '../../../parts/states';
import { Pick, Filters } from '../../../parts/table/filters';
import { SmallTable } from '../../../parts/table/small-table';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { exact, Moment } from '../../../parts/time/moment';
import { bytes, count, plural, share } from '../../../parts/units';
import { figuresQuery, historyQuery, type History, type PartitionFigures } from '../slurm-queries';
import type { SlurmSearch, TabProps } from '../slurm-search';
import { stepsOf } from './line-path';
import { LoadLine } from './load-line';
import styles from '../slurm.module.css';

/** One row of the table for each of these. */
const TABLE_STEP_S = 1_800;

const HOW = `remote_write:
  - url: ${window.location.origin}/v1/metrics/write
    authorization: { credentials_file: token }
    write_relabel_configs:
      - source_labels: [__name__]
        regex: slurm_.*
        action: keep`;

export function LoadTab({ search, change }: TabProps) {
  const { partition } = search;
  const figures = useQuery(figuresQuery);
  const history = useQuery(historyQuery(partition));
  return (
    <Loaded query={figures} lines={6}>
      {({ rows, next }) => (
        <Loaded query={history} lines={6}>
          {(found) => {
            const isEmpty = found.cpuLoad.length === 0 && found.memory.every(({ points }) => points.length === 0);
            if (isEmpty && rows.length === 0 && partition === undefined)
              return (
                <NothingYet title="No load was reported in the last 24 hours" command={HOW}>
                  Prometheus scrapes Slurm, or its exporter, and sends what it reads. In its prometheus.yml:
                </NothingYet>
              );
            return (
              <>
                <Picture
                  title={partition === undefined ? 'Load of all Slurm clusters' : `Load of ${partition}`}
                  summary={summaryOf(found, search.show === 'table')}
                  isTable={search.show === 'table'}
                  show={(isTable) => change({ show: isTable ? 'table' : undefined })}
                  table={<HistoryTable history={found} />}
                >
                  <Filters label="Filter the load">
                    <Pick
                      label="Partition"
                      data={[...new Set([...rows.map(({ partition_name: name }) => name), partition ?? []].flat())]}
                      value={partition}
                      change={(chosen) => change({ partition: chosen })}
                    />
                  </Filters>
                  {isEmpty ? (
                    <NothingMatches what="reports of this partition" clear={() => change({ partition: undefined })} />
                  ) : (
                    <div className={styles.charts}>
                      <LoadLine title="CPU load" lines={[{ name: 'Load', points: found.cpuLoad }]} format={load} />
                      <LoadLine title="Memory" lines={found.memory} format={memory} />
                    </div>
                  )}
                </Picture>
                {rows.length > 0 && (
                  <Section
                    title="Partitions now"
                    summary={`${next === undefined ? '' : 'The first '}${plural(rows.length, 'partition')} that metrics report`}
                  >
                    <DataTable
                      label="Partitions now"
                      columns={columnsOf(search)}
                      source={sourceOf(rows)}
                      keyOf={({ partition_name: name }) => name}
                      current={partition}
                    />
                  </Section>
                )}
              </>
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

const load = (value: number): string => count(Number(value.toFixed(value < 10 ? 1 : 0)));
/** The exporter's figure of allocated memory may be negative. */
const memory = (value: number): string => (value < 0 ? `−${bytes(-value)}` : bytes(Math.round(value)));

function summaryOf({ cpuLoad, memory: lines }: History, isTable: boolean): string {
  if (isTable) return 'Last 24 hours: the last values of each half hour.';
  const points = cpuLoad.length + lines.reduce((sum, line) => sum + line.points.length, 0);
  return `Last 24 hours: all ${plural(points, 'point')} drawn. A line has a gap where nothing was reported.`;
}

/** The last value of each half hour. */
function HistoryTable({ history }: { history: History }) {
  const figures = [
    { name: 'CPU load', points: history.cpuLoad, format: load },
    ...history.memory.map(({ name, points }) => ({ name: `${name} memory`, points, format: memory })),
  ];
  const rows = stepsOf(
    figures.map(({ points }) => points),
    TABLE_STEP_S,
  );
  return (
    <SmallTable
      label="Load over time, the last value of each half hour"
      columns={[
        { id: 'at', header: 'Time', width: 'minmax(10rem, 1fr)', cell: ({ timestamp }) => exact(timestamp * 1_000) },
        ...figures.map(({ name, format }, place) => ({
          id: name,
          header: name,
          width: 'minmax(6rem, 1fr)',
          cell: ({ values }: (typeof rows)[number]) => {
            const value = values[place];
            return value === undefined ? '–' : format(value);
          },
        })),
      ]}
      rows={rows}
      keyOf={({ timestamp }) => String(timestamp)}
    />
  );
}

const columnsOf = (search: SlurmSearch): readonly Column<PartitionFigures>[] => [
  {
    id: 'name',
    header: 'Partition',
    width: 'minmax(8rem, 1.4fr)',
    cell: ({ partition_name: name }) => (
      <Link to="/slurm" search={{ ...search, tab: 'load', partition: name }}>
        {name}
      </Link>
    ),
  },
  {
    id: 'load',
    header: 'CPU load',
    width: 'minmax(7rem, 1fr)',
    cell: ({ cpu_load: value, total_cpus: cpus }) =>
      value === null ? 'not reported' : `${load(value)}${cpus ? ` (${share(value, cpus)})` : ''}`,
  },
  {
    id: 'idle',
    header: 'Idle CPUs',
    width: 'minmax(7rem, 1fr)',
    cell: ({ idle_cpus: idle, total_cpus: cpus }) =>
      idle === null ? 'not reported' : cpus === null ? idle : `${idle} of ${cpus}`,
  },
  {
    id: 'memory',
    header: 'Free memory',
    width: 'minmax(10rem, 1.2fr)',
    cell: ({ free_memory: free, real_memory: real }) =>
      free === null ? 'not reported' : real === null ? memory(free) : `${memory(free)} of ${memory(real)}`,
  },
  {
    id: 'nodes',
    header: 'Idle nodes',
    width: 'minmax(6rem, 1fr)',
    cell: ({ partition_name: partition, idle_nodes: nodes }) =>
      nodes === null ? (
        'not reported'
      ) : (
        <Link to="/slurm" search={{ partition, status: 'IDLE', show: 'table' }}>
          {nodes}
        </Link>
      ),
  },
  { id: 'at', header: 'Reported', width: '7rem', cell: ({ timestamp }) => <Moment at={timestamp * 1_000} /> },
];
