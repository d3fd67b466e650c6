import { useQuery } from '@tanstack/react-query';
import { clustersQuery } from '../../api/clusters';
import { Pick } from '../../parts/table/filters';
import type { TabProps } from './slurm-search';

/** One of the Slurm clusters. */
export function ClusterFilter({ search, change }: TabProps) {
  const clusters = useQuery(clustersQuery).data ?? [];
  return (
    <Pick
      label="Cluster"
      data={clusters.filter(({ kind }) => kind === 'slurm').map(({ id, name }) => ({ value: id, label: name }))}
      value={search.cluster}
      change={(cluster) => change({ cluster })}
    />
  );
}
