import { DataTable, type Column } from '../../../parts/table/data-table';
import { Section } from '../../../parts/page';
import { useNumbered, type NumberedPage } from '../../../parts/table/row-source';
import { Loading, NothingMatches, NothingYet, Problem } from '../../../parts/states';
import { plural } from '../../../parts/units';
import { isFiltered, NO_FILTERS, sortingOf, type TabProps } from '../tab';
import { WorkloadFilters } from '../workload-filters';

export interface ResourcePage<Row> extends NumberedPage<Row> {
  readonly filters: { readonly statuses: readonly string[]; readonly namespaces: readonly string[] } | null;
}

interface ResourceTabProps<Row> extends TabProps {
  /** Pods, in words and in the key of the query. */
  readonly what: string;
  readonly one: string;
  readonly columns: readonly Column<Row>[];
  readonly load: (offset: number, limit: number, signal: AbortSignal) => Promise<ResourcePage<Row>>;
}

/** Pods or jobs of Kubernetes. The service filters, sorts and counts; only the visible rows are here. */
export function ResourceTab<Row extends { id: string }>({ what, one, columns, load, ...tab }: ResourceTabProps<Row>) {
  const { search, change, clusters } = tab;
  const { open: _open, tab: _tab, ...conditions } = search;
  const source = useNumbered<Row, ResourcePage<Row>>([what, conditions], load);
  const { page, error, retry } = source;
  return (
    <Section title={what} summary={page && `${plural(page.total, one)} of clusters that report`}>
      <WorkloadFilters
        {...tab}
        what={what}
        kind="kubernetes"
        namespaces={page?.filters?.namespaces ?? []}
        statuses={page?.filters?.statuses ?? []}
      />
      {error != null && <Problem error={error} retry={retry} />}
      {page === undefined && error == null && <Loading lines={10} />}
      {page && page.total > 0 && (
        <DataTable
          label={what}
          columns={columns}
          source={source}
          keyOf={({ id }) => id}
          sorting={sortingOf(tab)}
          current={search.open}
          isUniform
        />
      )}
      {page?.total === 0 &&
        (isFiltered(search) ? (
          <NothingMatches what={what.toLowerCase()} clear={() => change(NO_FILTERS)} />
        ) : (
          <NothingYet title={`No cluster reports ${what.toLowerCase()}`}>
            {clusters.length === 0
              ? 'No cluster has registered yet. Its controller registers it, and then reports what runs there.'
              : 'They appear with the next sync of a cluster. Clusters that are silent for 5 minutes are left out.'}
          </NothingYet>
        ))}
    </Section>
  );
}
