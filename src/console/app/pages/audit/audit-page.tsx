import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { Page, Section } from '../../parts/page';
import { WINDOWS, type Window } from '../../parts/search';
import { Loading, NotAllowed, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { plural } from '../../parts/units';
import { usePermission } from '../../session/who';
import { auditQuery, type AuditEntry } from './audit-query';
import type { AuditSearch } from './audit-search';
import styles from './audit.module.css';

const route = getRouteApi('/audit');

export function AuditPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { allowed, reason } = usePermission('list_audit_entries');
  const change = (part: Partial<AuditSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const query = useInfiniteQuery(auditQuery(search, allowed));
  const source = useContinued(query);
  const loaded = query.data?.pages.flatMap(({ rows }) => rows).length;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  if (!allowed)
    return (
      <Page title="Audit">
        <NotAllowed reason={reason} />
      </Page>
    );
  return (
    <Page title="Audit">
      <Section
        title="Changes made through the API"
        summary={
          loaded !== undefined &&
          `${plural(loaded, 'change')}${source.hasAll ? '' : ' and more'}, newest first; each was written with its change`
        }
      >
        <Filters label="Filter changes">
          <Choice
            label="Time"
            all="Any time"
            words={Object.keys(WINDOWS) as Window[]}
            value={search.window}
            change={(window) => change({ window })}
          />
          <NameFilter
            label="Resource, kind or id"
            value={search.resource}
            change={(resource) => change({ resource })}
          />
          <NameFilter label="Id of who did it" value={search.actor} change={(actor) => change({ actor })} />
        </Filters>
        {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
        {query.isPending && <Loading lines={8} />}
        {source.count > 0 && <DataTable label="Changes" columns={COLUMNS} source={source} keyOf={({ id }) => id} />}
        {loaded === 0 &&
          (isFiltered ? (
            <NothingMatches what="changes" clear={() => void navigate({ search: {} as AuditSearch })} />
          ) : (
            <NothingYet title="Nothing was changed yet">Each change through the API is listed here.</NothingYet>
          ))}
      </Section>
    </Page>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: 'action',
    header: 'Action',
    width: 'minmax(11rem, 1.4fr)',
    cell: ({ action, occurred_at: at }) => (
      <div>
        {action.replaceAll('_', ' ')}
        <div className={styles.quiet}>
          <Moment at={at} />
        </div>
      </div>
    ),
  },
  {
    id: 'resource',
    header: 'Resource',
    width: 'minmax(11rem, 1.6fr)',
    cell: ({ resource_type: type, resource_id: id }) => (
      <div>
        <Link from="/audit" to="." search={(before) => ({ ...before, resource: type })}>
          {type}
        </Link>
        {id !== null && (
          <div className={styles.quiet}>
            <Link from="/audit" to="." search={(before) => ({ ...before, resource: id })}>
              {id}
            </Link>
          </div>
        )}
      </div>
    ),
  },
  {
    id: 'actor',
    header: 'Who',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ actor_id: id, actor_role: role }) => (
      <div>
        {role}
        <div className={styles.quiet}>
          <Link from="/audit" to="." search={(before) => ({ ...before, actor: id })}>
            {id}
          </Link>
        </div>
      </div>
    ),
  },
  {
    id: 'details',
    header: 'Details',
    width: 'minmax(12rem, 2fr)',
    cell: ({ details }) => <code className={styles.details}>{textOf(details)}</code>,
  },
  {
    id: 'request',
    header: 'Request',
    width: 'minmax(8rem, 1fr)',
    cell: ({ request_id: id }) => <span className={styles.quiet}>{id}</span>,
  },
];

/** Members and values, without the brackets that only programs need. */
const textOf = (details: unknown): string =>
  typeof details === 'object' && details !== null
    ? Object.entries(details)
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('\n') || '–'
    : JSON.stringify(details ?? '–');
