import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { clustersQuery, type Cluster } from '../../api/clusters';
import { now } from '../../parts/time/clock';
import { DataTable } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter, Pick } from '../../parts/table/filters';
import { Page, Section } from '../../parts/page';
import { useContinued } from '../../parts/table/row-source';
import { WINDOWS, type Window } from '../../parts/search';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { plural } from '../../parts/units';
import { columnsOf } from './operations-columns';
import { newerQuery, operationsQuery } from './operations-query';
import { KINDS, RESULTS, WORKLOADS, type OperationsSearch } from './operations-search';
import { spanAt, spanWith, type Span } from './span';

const NO_CLUSTERS: readonly Cluster[] = [];

const route = getRouteApi('/operations');

const HOW = `curl -X POST ${window.location.origin}/v1/checkpoint/pod \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"pod_id": "<id or uid of a pod>"}'`;

export function OperationsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<OperationsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const [span, setSpan] = useSpan(search);
  const query = useInfiniteQuery(operationsQuery(search, span));
  const source = useContinued(query);
  const newer = useQuery(newerQuery(search, span)).data;
  const clusters = useQuery(clustersQuery).data ?? NO_CLUSTERS;
  const columns = useMemo(() => columnsOf(clusters), [clusters]);
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const clear = () => void navigate({ search: {} as OperationsSearch });
  return (
    <Page title="Operations">
      <Section
        title="Attempts to checkpoint and restore"
        summary={
          query.data &&
          `${source.hasAll ? '' : 'more than '}${plural(query.data.pages.flatMap((page) => page.rows).length, 'attempt')}, newest first`
        }
        aside={
          newer && newer.rows.length > 0 ? (
            <Button size="compact-sm" onClick={() => setSpan(spanWith(newer.rows, now(), span))}>
              {newer.rows.length}
              {newer.next ? '+' : ''} new
            </Button>
          ) : undefined
        }
      >
        <Filters label="Filter operations">
          <Choice
            label="Result"
            all="All"
            words={RESULTS}
            value={search.result}
            change={(result) => change({ result })}
          />
          <Choice label="Kind" all="Both" words={KINDS} value={search.kind} change={(kind) => change({ kind })} />
          <Choice
            label="Time"
            all="Any time"
            words={Object.keys(WINDOWS) as Window[]}
            value={search.window}
            change={(window) => change({ window })}
          />
          <Choice
            label="Workloads"
            all="All"
            words={WORKLOADS}
            value={search.workload}
            change={(workload) => change({ workload })}
          />
          <NameFilter label="Workload name" value={search.name} change={(name) => change({ name })} />
          <Pick
            label="Cluster"
            data={clusters.map(({ id, name }) => ({ value: id, label: name }))}
            value={search.cluster}
            change={(cluster) => change({ cluster })}
          />
          {/* Links set it. There is no list of all namespaces to choose another one from. */}
          {search.namespace !== undefined && (
            <Pick
              label="Namespace"
              data={[search.namespace]}
              value={search.namespace}
              change={(namespace) => change({ namespace })}
            />
          )}
        </Filters>
        {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Loading lines={8} />}
        {query.data && source.count > 0 && (
          <DataTable label="Operations" columns={columns} source={source} keyOf={({ operation_id }) => operation_id} />
        )}
        {query.data && source.count === 0 && isFiltered && <NothingMatches what="operations" clear={clear} />}
        {query.data && source.count === 0 && !isFiltered && (
          <NothingYet title="No attempt was reported yet" command={HOW}>
            Request a checkpoint of a pod, on the page of workloads or with this command. It appears here as soon as its
            node reports it.
          </NothingYet>
        )}
      </Section>
    </Page>
  );
}

/** The list ends at the moment at which it was opened, or its filters were changed. */
function useSpan(search: OperationsSearch): readonly [span: Span, setSpan: (span: Span) => void] {
  const filters = JSON.stringify(search);
  const [opened, setOpened] = useState(() => ({ filters, span: spanAt(now()) }));
  if (opened.filters !== filters) setOpened({ filters, span: spanAt(now(), opened.span.until) });
  return [opened.span, (span) => setOpened({ filters, span })];
}
