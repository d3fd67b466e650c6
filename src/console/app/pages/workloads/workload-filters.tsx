import { Filters, NameFilter, Pick } from '../../parts/table/filters';
import type { TabProps } from './tab';

interface WorkloadFiltersProps extends TabProps {
  readonly what: string;
  readonly namespaces: readonly string[];
  readonly statuses: readonly string[];
  readonly kind: 'kubernetes' | 'slurm';
}

export const WorkloadFilters = ({
  what,
  namespaces,
  statuses,
  kind,
  search,
  change,
  clusters,
}: WorkloadFiltersProps) => (
  <Filters label={`Filter ${what}`}>
    {kind === 'kubernetes' && (
      <>
        <NameFilter label="Name" value={search.name} change={(name) => change({ name })} />
        <Pick
          label="Namespace"
          data={namespaces}
          value={search.namespace}
          change={(namespace) => change({ namespace })}
        />
        <Pick label="Status" data={statuses} value={search.status} change={(status) => change({ status })} />
      </>
    )}
    <Pick
      label="Cluster"
      data={clusters.filter((one) => one.kind === kind).map(({ id, name }) => ({ value: id, label: name }))}
      value={search.cluster}
      change={(cluster) => change({ cluster })}
    />
  </Filters>
);
