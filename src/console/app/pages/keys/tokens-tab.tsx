import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { Section } from '../../parts/page';
import { Loading, NotAllowed, NothingMatches, Problem } from '../../parts/states';
import { plural } from '../../parts/units';
import { usePermission, whoQuery, type Who } from '../../session/who';
import { tokensQuery, type AccessToken, type TokenStatus } from './keys-api';
import { TOKEN_STATUSES, type KeysSearch } from './keys-search';
import { CreateToken, RevokeToken } from './token-actions';
import styles from './keys.module.css';

interface TabProps {
  readonly search: KeysSearch;
  readonly change: (part: Partial<KeysSearch>) => void;
}

export function TokensTab({ search, change }: TabProps) {
  const { allowed, reason } = usePermission('list_tokens');
  const query = useInfiniteQuery({ ...tokensQuery(search), enabled: allowed });
  const source = useContinued(query);
  const who = useQuery(whoQuery).data;
  if (!allowed)
    return (
      <Section title="Access tokens">
        <NotAllowed reason={reason} />
      </Section>
    );
  const rows = query.data?.pages.flatMap((page) => page.rows);
  return (
    <Section
      title="Access tokens"
      summary={rows && summaryOf(rows, source.hasAll, search.status)}
      aside={<CreateToken />}
    >
      <Filters label="Filter tokens">
        <Choice
          label="State"
          all="All"
          words={TOKEN_STATUSES}
          value={search.status}
          change={(status) => change({ status })}
        />
        <NameFilter label="Name" value={search.name} change={(name) => change({ name })} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={6} />}
      {source.count > 0 && (
        <DataTable label="Access tokens" columns={columnsOf(who)} source={source} keyOf={({ token_id: id }) => id} />
      )}
      {rows?.length === 0 && (
        <NothingMatches what="tokens" clear={() => change({ status: undefined, name: undefined })} />
      )}
    </Section>
  );
}

/** @param hasAll no more of them are behind those that are here */
function summaryOf(rows: readonly AccessToken[], hasAll: boolean, shown: TokenStatus | undefined): string {
  const least = hasAll ? '' : 'at least ';
  if (shown === 'expired' || shown === 'revoked') return `${least}${plural(rows.length, `${shown} token`)}`;
  const usable = rows.filter(({ status }) => status === 'active').length;
  return `${least}${plural(usable, 'token')} can be used`;
}

const columnsOf = (who: Who | undefined): readonly Column<AccessToken>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ name, token_id: id }) => (
      <div>
        <span className={styles.name}>{name}</span>
        {id === who?.id && <div className={styles.where}>you are signed in with it</div>}
      </div>
    ),
  },
  // An admin of one organisation sees no other.
  ...(who?.scope === 'platform' ? [ORGANISATION] : []),
  {
    id: 'role',
    header: 'Role',
    width: 'minmax(8rem, 1fr)',
    cell: ({ role, scope }) => (scope === 'platform' ? `${role} of the platform` : role),
  },
  { id: 'created', header: 'Created', width: '7rem', cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    id: 'used',
    header: 'Last used',
    width: '7rem',
    cell: ({ last_used_at: at }) => (at === null ? 'never' : <Moment at={at} />),
  },
  {
    id: 'expires',
    header: 'Expires',
    width: 'minmax(7rem, 1fr)',
    cell: ({ expires_at: at }) => (at === null ? 'never' : <Moment at={at} />),
  },
  {
    id: 'state',
    header: 'State',
    width: '7.5rem',
    cell: (token) => (
      <RevokeToken of={token} isOwn={token.token_id === who?.id} isOfPlatform={who?.scope === 'platform'} />
    ),
  },
];

const ORGANISATION: Column<AccessToken> = {
  id: 'organisation',
  header: 'Organisation',
  width: 'minmax(8rem, 1fr)',
  cell: ({ organisation_name: name }) => name,
};
