import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../../parts/page';
import { Loading, NothingMatches, NothingYet, Problem } from '../../../parts/states';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { Filters, NameFilter } from '../../../parts/table/filters';
import { useContinued } from '../../../parts/table/row-source';
import { Moment } from '../../../parts/time/moment';
import { bytes, plural, share } from '../../../parts/units';
import { nodesQuery } from '../metrics-queries';
import type { Change, MetricsSearch } from '../metrics-search';
import type { NodeFigures } from './node-figures';
import styles from '../metrics.module.css';

const HOW = `# prometheus.yml, with an access token of a controller in the file "token"
remote_write:
  - url: ${window.location.origin}/v1/metrics/write
    authorization: { credentials_file: token }
    write_relabel_configs:
      - { source_labels: [__name__], regex: 'node_.*', action: keep }`;

interface NodesTabProps {
  readonly search: Partial<MetricsSearch>;
  readonly change: Change;
}

/** The newest values that node_exporter reported of each node. */
export function NodesTab({ search: { name }, change }: NodesTabProps) {
  const query = useInfiniteQuery(nodesQuery(name));
  const source = useContinued(query);
  const nodes = query.data?.pages.flatMap(({ rows }) => rows);
  return (
    <Section title="Nodes now" summary={nodes && nodes.length > 0 ? summaryOf(nodes, !source.hasAll) : undefined}>
      <Filters label="Filter nodes">
        <NameFilter label="Name of a node" value={name} change={(part) => change({ name: part })} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={6} />}
      {source.count > 0 && (
        <DataTable label="Nodes" columns={COLUMNS} source={source} keyOf={({ name: node }) => node} />
      )}
      {nodes?.length === 0 &&
        (name === undefined ? (
          <NothingYet title="No node was reported yet" command={HOW}>
            A Prometheus that scrapes node_exporter sends its samples here:
          </NothingYet>
        ) : (
          <NothingMatches what="nodes" clear={() => change({ name: undefined })} />
        ))}
    </Section>
  );
}

/** Full memory or disks end workloads: what is above is named first. */
const FULL = 0.9;

function summaryOf(nodes: readonly NodeFigures[], isPart: boolean): string {
  const full = nodes.filter(
    ({ memory, mount }) => (memory && memory.used > FULL * memory.total) || (mount && mount.used > FULL * mount.size),
  );
  const silent = nodes.filter(({ at }) => at === undefined).length;
  const whole = `${isPart ? 'the first ' : ''}${plural(nodes.length, 'node')}`;
  const parts = [
    full.length > 0
      ? `${full.length} with more than 90 % of memory or a disk used: ${full[0]?.name}${full.length > 1 ? ' …' : ''}`
      : 'none with more than 90 % of memory or a disk used',
    ...(silent > 0 ? [`${silent} silent for 5 minutes`] : []),
  ];
  return `${whole}: ${parts.join('; ')}`;
}

const COLUMNS: readonly Column<NodeFigures>[] = [
  {
    id: 'name',
    header: 'Node',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ name }) =>
      name === '' ? (
        'unknown node'
      ) : (
        <Link to="/metrics" search={{ node: name }} title={`GPUs of ${name}`}>
          {name}
        </Link>
      ),
  },
  {
    id: 'load',
    header: 'Load, 1, 5 and 15 min',
    width: 'minmax(9rem, 1fr)',
    cell: ({ load }) =>
      load.every((value) => value === undefined)
        ? 'not reported'
        : load.map((value) => value?.toFixed(1) ?? '–').join(' · '),
  },
  {
    id: 'memory',
    header: 'Used memory',
    width: 'minmax(9rem, 1fr)',
    cell: ({ memory }) =>
      memory === undefined
        ? 'not reported'
        : `${share(memory.used, memory.total)} of ${bytes(Math.round(memory.total))}`,
  },
  {
    id: 'disk',
    header: 'Fullest disk',
    width: 'minmax(11rem, 1.4fr)',
    cell: ({ mount, mounts }) =>
      mount === undefined ? (
        'not reported'
      ) : (
        <div>
          {mount.path}: {share(mount.used, mount.size)} of {bytes(Math.round(mount.size))}
          {mounts > 1 && <div className={styles.quiet}>of {plural(mounts, 'disk')}</div>}
        </div>
      ),
  },
  {
    id: 'at',
    header: 'Reported',
    width: '7rem',
    cell: ({ at }) => (at === undefined ? 'silent now' : <Moment at={at} />),
  },
];
