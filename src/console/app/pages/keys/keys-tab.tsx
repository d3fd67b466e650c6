import { useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters } from '../../parts/table/filters';
import { sourceOf } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { Section } from '../../parts/page';
import { Loaded, NothingMatches, NothingYet } from '../../parts/states';
import { money, plural } from '../../parts/units';
import { bySpending } from './budget';
import { BudgetBar } from './budget-bar';
import { ChangeKey, CreateKey, RevokeKey } from './key-actions';
import { keysQuery, type InferenceKey } from './keys-api';
import type { KeysSearch } from './keys-search';
import styles from './keys.module.css';

const HOW = `curl -X POST ${window.location.origin}/v1/inference/keys \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "team-search", "budget_usd": 50}'`;

interface TabProps {
  readonly search: KeysSearch;
  readonly change: (part: Partial<KeysSearch>) => void;
}

export function KeysTab({ search, change }: TabProps) {
  const keys = useQuery(keysQuery);
  const summary = keys.data && summaryOf(keys.data.rows, keys.data.next !== undefined);
  return (
    <Section title="Inference keys" summary={summary} aside={<CreateKey />}>
      <Loaded query={keys} lines={6}>
        {({ rows, next }) =>
          rows.length === 0 ? (
            <NothingYet title="There is no inference key yet" command={HOW}>
              Clients of the models need one. Create it here, or with the API:
            </NothingYet>
          ) : (
            <KeyTable rows={rows} isPart={next !== undefined} search={search} change={change} />
          )
        }
      </Loaded>
    </Section>
  );
}

/**
 * Answers which key spends most, before anybody reads the table.
 * @param isPart there are older ones, which may have spent more
 */
function summaryOf(rows: readonly InferenceKey[], isPart: boolean): string {
  const keys = `${isPart ? 'the newest ' : ''}${plural(rows.length, 'key')}`;
  const spent = rows.reduce((sum, { spent_usd: usd }) => sum + usd, 0);
  const most = rows.toSorted(bySpending)[0];
  if (most === undefined || most.spent_usd === 0) return `${keys}; nothing is spent yet`;
  return `${keys} spent ${money(spent)}; ${most.name} spends most, ${money(most.spent_usd)}`;
}

function KeyTable({ rows, isPart, search, change }: TabProps & { rows: readonly InferenceKey[]; isPart: boolean }) {
  const shown = rows.filter(
    ({ revoked_at: at }) => search.state === undefined || (search.state === 'revoked') === (at !== null),
  );
  const ordered = search.order === 'newest' ? shown : shown.toSorted(bySpending);
  return (
    <>
      <Filters label="Filter keys">
        <Choice
          label="State"
          all="All"
          words={{ active: 'Active', revoked: 'Revoked' }}
          value={search.state}
          change={(state) => change({ state })}
        />
        <Choice
          label="Order"
          all="Spends most first"
          words={{ newest: 'Newest first' }}
          value={search.order}
          change={(order) => change({ order })}
        />
      </Filters>
      <ul className={styles.legend}>
        <li>
          <span className={`${styles.sample} ${styles.spent}`} aria-hidden="true" /> Spent
        </li>
        <li>
          <span className={`${styles.sample} ${styles.reserved}`} aria-hidden="true" /> Reserved for requests in flight
        </li>
        {isPart && <li>Only the newest {plural(rows.length, 'key')} are here; the API lists all of them.</li>}
      </ul>
      {ordered.length === 0 ? (
        <NothingMatches what="keys" clear={() => change({ state: undefined })} />
      ) : (
        <DataTable label="Inference keys" columns={COLUMNS} source={sourceOf(ordered)} keyOf={({ key_id: id }) => id} />
      )}
    </>
  );
}

const COLUMNS: readonly Column<InferenceKey>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1.2fr)',
    cell: ({ name, tenant_id: tenant, key_id: id }) => (
      <div>
        <span className={styles.name}>{name}</span>
        <div className={styles.where}>{tenant ?? id}</div>
      </div>
    ),
  },
  { id: 'budget', header: 'Budget', width: 'minmax(13rem, 2fr)', cell: (key) => <BudgetBar of={key} /> },
  {
    id: 'models',
    header: 'Models',
    width: 'minmax(6rem, 1fr)',
    cell: ({ models }) => (models.length === 0 ? 'all' : models.join(', ')),
  },
  {
    id: 'rate',
    header: 'Rate',
    width: '5rem',
    align: 'end',
    cell: ({ rate_limit_rps: rate }) => (rate === null ? 'no limit' : `${rate}/s`),
  },
  { id: 'created', header: 'Created', width: '6.5rem', cell: ({ created_at: at }) => <Moment at={at} /> },
  {
    id: 'state',
    header: 'State',
    width: '14rem',
    cell: (key) => (
      <div className={styles.actions}>
        <ChangeKey of={key} />
        <RevokeKey of={key} />
      </div>
    ),
  },
];
