import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { clustersQuery, type Cluster } from '../../../api/clusters';
import { Picture } from '../../../parts/picture';
import { Loaded, NothingMatches, NothingYet } from '../../../parts/states';
import { Choice, Filters, NameFilter, Pick } from '../../../parts/table/filters';
import { plural } from '../../../parts/units';
import { isFiltered, NO_FILTERS, type Measure, type TabProps } from '../slurm-search';
import { partitionsQuery, slurmNodesQuery, type SlurmNode, type SlurmPartition } from '../slurm-queries';
import { FleetMap } from './fleet-map';
import { NodeTable } from './node-table';
import { groupsOf } from './partition-groups';
import { PartitionTable } from './partition-table';

const REGISTER = `curl -X POST ${window.location.origin}/v1/cluster \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"cluster_name": "hpc", "kind": "slurm"}'`;

const report = (cluster: string): string => `scontrol show nodes --json | curl -X POST \\
  "${window.location.origin}/v1/slurm/nodes/sync?cluster_id=${cluster}" \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" --data-binary @-`;

export function FleetTab({ search, change }: TabProps) {
  const clusters = useQuery(clustersQuery);
  const partitions = useQuery(partitionsQuery(search.cluster));
  const nodes = useQuery(slurmNodesQuery(search));
  return (
    <Loaded query={clusters} lines={6}>
      {(all) => {
        const ofSlurm = all.filter(({ kind }) => kind === 'slurm');
        const [first] = ofSlurm;
        if (first === undefined)
          return (
            <NothingYet title="No Slurm cluster has registered yet" command={REGISTER}>
              The agent of a Slurm cluster registers it when it starts. By hand:
            </NothingYet>
          );
        return (
          <Loaded query={partitions} lines={6}>
            {({ rows, next }) => (
              <Loaded query={nodes} lines={6}>
                {(found) =>
                  found.rows.length === 0 && rows.length === 0 && !isFiltered(search) ? (
                    <NothingYet title="No node was reported yet" command={report(first.id)}>
                      The agent of the cluster reports its nodes and partitions. By hand, on a machine of {first.name}:
                    </NothingYet>
                  ) : (
                    <Fleet
                      search={search}
                      change={change}
                      clusters={ofSlurm}
                      partitions={rows}
                      hasAllPartitions={next === undefined}
                      nodes={found.rows}
                      hasAllNodes={found.next === undefined}
                    />
                  )
                }
              </Loaded>
            )}
          </Loaded>
        );
      }}
    </Loaded>
  );
}

interface FleetProps extends TabProps {
  readonly clusters: readonly Cluster[];
  readonly partitions: readonly SlurmPartition[];
  readonly hasAllPartitions: boolean;
  readonly nodes: readonly SlurmNode[];
  readonly hasAllNodes: boolean;
}

const MEASURE_WORDS: Readonly<Record<Exclude<Measure, 'state'>, string>> = {
  load: 'CPU load',
  cpus: 'Allocated CPUs',
  memory: 'Allocated memory',
};

/** Words of Slurm that people look for. Others work in the address too. */
const STATES = ['IDLE', 'MIXED', 'ALLOCATED', 'DRAIN', 'DOWN', 'FAIL', 'MAINT', 'NOT_RESPONDING', 'STALE'];

function Fleet({ search, change, clusters, partitions, hasAllPartitions, nodes, hasAllNodes }: FleetProps) {
  const by = search.by ?? 'state';
  const groups = groupsOf(nodes, partitions, {
    only: search.partition,
    keepEmpty: search.status === undefined && search.name === undefined,
  });
  const states = search.status === undefined ? STATES : [...new Set([...STATES, search.status])];
  return (
    <>
      <Picture
        title="Partitions and nodes"
        summary={`One tile for each node, in each of its partitions: ${hasAllNodes ? `all ${plural(nodes.length, 'node')}` : `the first ${plural(nodes.length, 'node')}`} drawn${isFiltered(search) ? ' that match the filters' : ''}.`}
        isTable={search.show === 'table'}
        show={(isTable) => change({ show: isTable ? 'table' : undefined })}
        table={
          <>
            <FleetFilters {...{ search, change, clusters, partitions, states }} />
            {nodes.length === 0 ? <Nothing change={change} /> : <NodeTable nodes={nodes} clusters={clusters} />}
          </>
        }
      >
        <FleetFilters {...{ search, change, clusters, partitions, states }}>
          <Choice
            label="Colour of the tiles"
            all="State"
            words={MEASURE_WORDS}
            value={by === 'state' ? undefined : by}
            change={(chosen) => change({ by: chosen })}
          />
        </FleetFilters>
        {groups.length === 0 ? <Nothing change={change} /> : <FleetMap {...{ groups, nodes, clusters, by, search }} />}
      </Picture>
      <PartitionTable
        partitions={partitions.filter(({ name }) => search.partition === undefined || name === search.partition)}
        hasAll={hasAllPartitions}
        clusters={clusters}
        search={search}
      />
    </>
  );
}

const Nothing = ({ change }: Pick<TabProps, 'change'>) => (
  <NothingMatches what="nodes" clear={() => change(NO_FILTERS)} />
);

interface FleetFiltersProps extends TabProps {
  readonly clusters: readonly Cluster[];
  readonly partitions: readonly SlurmPartition[];
  readonly states: readonly string[];
  readonly children?: ReactNode;
}

const FleetFilters = ({ search, change, clusters, partitions, states, children }: FleetFiltersProps) => (
  <Filters label="Filter nodes">
    {clusters.length > 1 && (
      <Pick
        label="Cluster"
        data={clusters.map(({ id, name }) => ({ value: id, label: name }))}
        value={search.cluster}
        change={(cluster) => change({ cluster })}
      />
    )}
    <Pick
      label="Partition"
      data={[...new Set([...partitions.map(({ name }) => name), ...(search.partition ? [search.partition] : [])])]}
      value={search.partition}
      change={(partition) => change({ partition })}
    />
    <Pick label="State" data={states} value={search.status} change={(status) => change({ status })} />
    <NameFilter label="Node name" value={search.name} change={(name) => change({ name })} />
    {children}
  </Filters>
);
