import { useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters } from '../../parts/table/filters';
import { sourceOf } from '../../parts/table/row-source';
import { useNow } from '../../parts/time/clock';
import { Moment } from '../../parts/time/moment';
import { Section } from '../../parts/page';
import { Loaded, NotAllowed, NothingMatches } from '../../parts/states';
import { plural } from '../../parts/units';
import { usePermission, whoQuery } from '../../session/who';
import { tokensQuery, type AccessToken } from './keys-api';
import type { KeysSearch } from './keys-search';
import { CreateToken, RevokeToken } from './token-actions';
import styles from './keys.module.css';

interface TabProps {
  readonly search: KeysSearch;
  readonly change: (part: Partial<KeysSearch>) => void;
}

export function TokensTab({ search, change }: TabProps) {
  const { allowed, reason } = usePermission('list_tokens');
  const tokens = useQuery(tokensQuery(allowed));
  const own = useQuery(whoQuery).data?.id;
  const now = useNow();
  const isOver = ({ revoked_at: revoked, expires_at: expires }: AccessToken): boolean =>
    revoked !== null || (expires !== null && Date.parse(expires) <= now);
  if (!allowed)
    return (
      <Section title="Access tokens">
        <NotAllowed reason={reason} />
      </Section>
    );
  return (
    <Section
      title="Access tokens"
      summary={tokens.data && `${plural(tokens.data.rows.filter((one) => !isOver(one)).length, 'token')} can be used`}
      aside={<CreateToken />}
    >
      <Loaded query={tokens} lines={6}>
        {({ rows }) => {
          const shown = rows.filter(
            (one) => search.state === undefined || (search.state === 'revoked') === isOver(one),
          );
          return (
            <>
              <Filters label="Filter tokens">
                <Choice
                  label="State"
                  all="All"
                  words={{ active: 'Active', revoked: 'Revoked or expired' }}
                  value={search.state}
                  change={(state) => change({ state })}
                />
              </Filters>
              {shown.length === 0 ? (
                <NothingMatches what="tokens" clear={() => change({ state: undefined })} />
              ) : (
                <DataTable
                  label="Access tokens"
                  columns={columnsOf(own, isOver)}
                  source={sourceOf(shown)}
                  keyOf={({ token_id: id }) => id}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

const columnsOf = (
  own: string | undefined,
  isOver: (token: AccessToken) => boolean,
): readonly Column<AccessToken>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ name, token_id: id }) => (
      <div>
        <span className={styles.name}>{name}</span>
        {id === own && <div className={styles.where}>you are signed in with it</div>}
      </div>
    ),
  },
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
    cell: (token) => <RevokeToken of={token} isOwn={token.token_id === own} isOver={isOver(token)} />,
  },
];
