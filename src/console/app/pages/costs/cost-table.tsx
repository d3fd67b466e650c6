import { Link } from '@tanstack/react-router';
import { DataTable, type Column } from '../../parts/table/data-table';
import { sourceOf } from '../../parts/table/row-source';
import { exact } from '../../parts/time/moment';
import { Status } from '../../parts/status';
import { count, duration, money, share } from '../../parts/units';
import type { Cost } from './cost-parts';
import styles from './costs.module.css';

const SECOND = 1e9;

export const CostTable = ({ costs }: { costs: readonly Cost[] }) => (
  <DataTable label="Costs of profiles" columns={COLUMNS} source={sourceOf(costs)} keyOf={({ profile }) => profile} />
);

const perMillion = (usd: number | null): string => (usd === null ? 'no tokens' : money(usd));

const COLUMNS: readonly Column<Cost>[] = [
  {
    id: 'profile',
    header: 'Profile',
    width: 'minmax(9rem, 1.4fr)',
    cell: ({ profile }) => (
      <Link to="/profiles/$id" params={{ id: profile }}>
        {profile}
      </Link>
    ),
  },
  { id: 'total', header: 'Cost', width: '6rem', align: 'end', cell: ({ total }) => money(total) },
  {
    id: 'node',
    header: 'Node time',
    width: '6.5rem',
    align: 'end',
    cell: ({ row }) => duration(row.node_seconds * SECOND),
  },
  {
    id: 'idle',
    header: 'Of it idle',
    width: '5rem',
    align: 'end',
    cell: ({ row }) => share(row.idle_time_s, row.node_seconds),
  },
  { id: 'tokens', header: 'Tokens', width: '6rem', align: 'end', cell: ({ row }) => count(row.tokens_served) },
  {
    id: 'held',
    header: 'Per 10⁶, held',
    width: '6.5rem',
    align: 'end',
    cell: ({ row }) => perMillion(row.cost_per_mtok.held_usd),
  },
  {
    id: 'used',
    header: 'Per 10⁶, used',
    width: '6.5rem',
    align: 'end',
    cell: ({ row }) => perMillion(row.cost_per_mtok.used_usd),
  },
  {
    id: 'price',
    header: 'Price of a node hour',
    width: 'minmax(8rem, 1fr)',
    cell: ({ row: { price } }) =>
      price.source === 'none' ? (
        <Status tone="warn">No price saved</Status>
      ) : (
        <div>
          {money(price.node_hourly_usd)}
          <div className={styles.price}>
            saved{price.updated_at !== null && ` ${exact(Date.parse(price.updated_at))}`}
          </div>
        </div>
      ),
  },
];
