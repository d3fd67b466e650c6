import { useMemo } from 'react';
import { Section } from '../../../parts/page';
import { Loading, NothingMatches, NothingYet, Problem } from '../../../parts/states';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { Choice, Filters, NameFilter, Pick } from '../../../parts/table/filters';
import { OpenLink } from '../../../parts/table/open-link';
import type { Numbered, NumberedPage } from '../../../parts/table/row-source';
import { plural } from '../../../parts/units';
import type { PoliciesSearch } from '../policies-search';
import { filterWords, matchWords, nameOf, RESOURCE_NAMES, RESOURCES, triggerWords, type Policy } from '../policy-words';
import { LastResult, NextBeat, PolicyStatus } from './policy-facts';
import styles from '../policies.module.css';

const HOW = `curl -X POST ${window.location.origin}/v1/policy/pipeline/create \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "training, hourly", "pipeline": {
    "trigger": {"type": "heartbeat", "config": {"interval_seconds": 3600}},
    "filter": {"type": "namespace", "config": {"cluster_id": "<id>", "namespace": "training"}},
    "action": {"type": "checkpoint", "config": {"kind": "simple"}}}}'`;

interface PoliciesTableProps {
  readonly source: Numbered<Policy, NumberedPage<Policy>>;
  readonly search: PoliciesSearch;
  readonly change: (part: Partial<PoliciesSearch>) => void;
  readonly open: (policy: string) => void;
}

const NO_FILTERS = { status: undefined, resource: undefined, name: undefined };

export function PoliciesTable({ source, search, change, open }: PoliciesTableProps) {
  const columns = useMemo(() => columnsOf(open), [open]);
  const isFiltered = [search.status, search.resource, search.name].some((value) => value !== undefined);
  const { page, error, retry } = source;
  return (
    <Section title="Policies" summary={page && `${plural(page.total, 'policy', 'policies')}, newest first`}>
      <Filters label="Filter policies">
        <Choice
          label="Status"
          all="All"
          words={{ active: 'Active', paused: 'Paused', disabled: 'Disabled' }}
          value={search.status === 'completed' ? undefined : search.status}
          change={(status) => change({ status })}
        />
        <Pick
          label="Matches"
          data={RESOURCES.map((value) => ({ value, label: RESOURCE_NAMES[value] }))}
          value={search.resource}
          change={(resource) => change({ resource: RESOURCES.find((one) => one === resource) })}
        />
        <NameFilter label="Policy name" value={search.name} change={(name) => change({ name })} />
      </Filters>
      {error !== undefined && error !== null && <Problem error={error} retry={retry} />}
      {page === undefined && !error && <Loading lines={6} />}
      {source.count > 0 && (
        <DataTable label="Policies" columns={columns} source={source} keyOf={({ id }) => id} current={search.open} />
      )}
      {page !== undefined &&
        page.total === 0 &&
        (isFiltered ? (
          <NothingMatches what="policies" clear={() => change(NO_FILTERS)} />
        ) : (
          <NothingYet title="There is no policy yet" command={HOW}>
            A policy requests checkpoints of everything that matches its filter: at an interval, or in a maintenance
            window. Create one above, or with the API:
          </NothingYet>
        ))}
    </Section>
  );
}

const columnsOf = (open: (policy: string) => void): readonly Column<Policy>[] => [
  {
    id: 'name',
    header: 'Policy',
    width: 'minmax(10rem, 1.6fr)',
    cell: (policy) => (
      <OpenLink row={policy.id} open={open}>
        {nameOf({ name: policy.name, trigger: policy.pipeline?.trigger.type ?? 'policy' })}
      </OpenLink>
    ),
  },
  { id: 'status', header: 'Status', width: 'minmax(8.5rem, 1fr)', cell: (policy) => <PolicyStatus of={policy} /> },
  {
    id: 'trigger',
    header: 'When',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ pipeline }) => (pipeline ? triggerWords(pipeline.trigger) : '–'),
  },
  {
    id: 'matches',
    header: 'Matches now',
    width: 'minmax(10rem, 1.6fr)',
    cell: (policy) => (
      <div>
        {matchWords(policy)}
        <div className={styles.quiet}>
          {policy.pipeline && filterWords(policy.pipeline.filter)} · {policy.cluster_name}
        </div>
      </div>
    ),
  },
  { id: 'next', header: 'Next', width: 'minmax(6rem, 0.9fr)', cell: (policy) => <NextBeat of={policy} /> },
  {
    id: 'last',
    header: 'Last result',
    width: 'minmax(8.5rem, 1.2fr)',
    cell: (policy) => <LastResult of={policy} />,
  },
];
