import { useQuery } from '@tanstack/react-query';
import { Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { sourceOf } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { money, plural } from '../../parts/units';
import { pricesQuery, seenTypesQuery, type Price } from './instances-queries';
import { ChangePrice, DeletePrices, SavePrice } from './price-actions';
import styles from './instances.module.css';

const HOW = `curl -X PUT ${window.location.origin}/v1/pricing/instance-types \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"instance_type": "p4d.24xlarge", "capacity_type": "spot", "spot_price_per_hour": 11.57}'`;

/** What nodes of the clusters cost, as the organisation entered it. */
export function PricesTab() {
  const prices = useQuery(pricesQuery);
  const seen = useQuery(seenTypesQuery);
  const priced = new Set(prices.data?.rows.map(({ instance_type: type }) => type));
  const unpriced = prices.data && seen.data?.rows.filter((type) => !priced.has(type));
  return (
    <Section
      title="Prices of nodes"
      summary={
        prices.data &&
        `${plural(prices.data.rows.length, 'price')}${prices.data.next ? ' and more' : ''}; dollars per hour, with which the savings of checkpoints are computed`
      }
      aside={<SavePrice seen={seen.data?.rows ?? []} />}
    >
      {unpriced && unpriced.length > 0 && (
        <p className={styles.trouble}>
          {plural(unpriced.length, 'type')} of reported nodes {unpriced.length === 1 ? 'has' : 'have'} no price:{' '}
          {unpriced.slice(0, SHOWN).join(', ')}
          {unpriced.length > SHOWN && ' …'}
        </p>
      )}
      <Loaded query={prices} lines={6}>
        {({ rows }) =>
          rows.length === 0 ? (
            <NothingYet title="No price was entered yet" command={HOW}>
              Without the price of an instance type, the savings on its nodes are unknown. Save a price above, or by
              hand:
            </NothingYet>
          ) : (
            <DataTable label="Prices of nodes" columns={COLUMNS} source={sourceOf(rows)} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** More names are not read. */
const SHOWN = 10;

const priceOf = (usd: number | null): string => (usd === null ? 'not known' : money(usd));

const COLUMNS: readonly Column<Price>[] = [
  { id: 'type', header: 'Instance type', width: 'minmax(9rem, 1.6fr)', cell: ({ instance_type: type }) => type },
  { id: 'capacity', header: 'Capacity', width: 'minmax(6rem, 1fr)', cell: ({ capacity_type: type }) => type },
  {
    id: 'ondemand',
    header: 'On demand',
    width: '8rem',
    align: 'end',
    cell: ({ ondemand_price_per_hour: usd }) => priceOf(usd),
  },
  {
    id: 'spot',
    header: 'Spot',
    width: '8rem',
    align: 'end',
    cell: ({ spot_price_per_hour: usd }) => priceOf(usd),
  },
  { id: 'updated', header: 'Saved', width: '7rem', cell: ({ updated_at: at }) => <Moment at={at} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: '12.5rem',
    cell: (price) => (
      <div className={styles.actions}>
        <ChangePrice of={price} />
        <DeletePrices of={price} />
      </div>
    ),
  },
];
