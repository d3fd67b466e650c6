import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Section } from '../../../parts/page';
import { Loaded, NothingYet, Problem } from '../../../parts/states';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { Moment } from '../../../parts/time/moment';
import { bytes, plural, share } from '../../../parts/units';
import { collectorQuery } from '../metrics-queries';
import { nodeFigures, type NodeFigures } from './node-figures';
import styles from '../metrics.module.css';

const HOW = `# prometheus.yml, with an access token of a controller in the file "token"
remote_write:
  - url: ${window.location.origin}/v1/metrics/write
    authorization: { credentials_file: token }
    write_relabel_configs:
      - { source_labels: [__name__], regex: 'node_.*', action: keep }`;

/** The newest values that node_exporter reported of each node. */
export function NodesTab() {
  const loads = useQuery(collectorQuery('loadavg'));
  const memories = useQuery(collectorQuery('meminfo'));
  const disks = useQuery(collectorQuery('filesystem'));
  const nodes = nodeFigures(loads.data?.rows ?? [], memories.data?.rows ?? [], disks.data?.rows ?? []);
  const failed = [memories, disks].find(({ isError }) => isError);
  const isLoading = memories.isPending || disks.isPending;
  const isPart = [loads, memories, disks].some(({ data }) => data?.next !== undefined);
  return (
    <Section title="Nodes now" summary={isLoading || nodes.length === 0 ? undefined : summaryOf(nodes, isPart)}>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      <Loaded query={loads} lines={6}>
        {() =>
          nodes.length === 0 && !isLoading && !failed ? (
            <NothingYet title="No node was reported yet" command={HOW}>
              A Prometheus that scrapes node_exporter sends its samples here:
            </NothingYet>
          ) : (
            <DataTable label="Nodes" columns={COLUMNS} source={sourceOf(nodes)} keyOf={({ name }) => name} />
          )
        }
      </Loaded>
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
