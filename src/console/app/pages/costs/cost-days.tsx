import { Picture } from '../../parts/picture';
import type { Column } from '../../parts/table/data-table';
import { SmallTable } from '../../parts/table/small-table';
import { count, duration, money, plural } from '../../parts/units';
import { CostBars } from './cost-bars';
import { dayCostsOf, PARTS, type CostDay, type DayCost, type Part } from './cost-parts';

const SECOND = 1e9;

interface DaysProps {
  readonly days: readonly CostDay[];
  readonly withIdle: boolean;
  readonly isTable: boolean;
  readonly show: (table: boolean) => void;
}

export function CostDays({ days, withIdle, isTable, show }: DaysProps) {
  const costs = dayCostsOf(days, withIdle);
  return (
    <Picture
      title="Costs by day"
      summary={summaryOf(costs)}
      isTable={isTable}
      show={show}
      table={<SmallTable label="Costs by day" columns={COLUMNS} rows={costs} keyOf={({ label }) => label} />}
    >
      <CostBars bars={costs} />
    </Picture>
  );
}

function summaryOf(costs: readonly DayCost[]): string {
  const total = costs.reduce((sum, day) => sum + day.total, 0);
  const dearest = costs.toSorted((a, b) => b.total - a.total)[0];
  const whole = `${money(total)} in ${plural(costs.length, 'day')} of UTC`;
  return dearest === undefined || total === 0
    ? whole
    : `${whole}; the dearest is ${dearest.label}, ${money(dearest.total)}`;
}

const COLUMNS: readonly Column<DayCost>[] = [
  { id: 'day', header: 'Day', width: 'minmax(8rem, 1.4fr)', cell: ({ label }) => label },
  { id: 'total', header: 'Cost', width: '6rem', align: 'end', cell: ({ total }) => money(total) },
  ...(Object.keys(PARTS) as Part[]).map((part): Column<DayCost> => ({
    id: part,
    header: PARTS[part],
    width: 'minmax(5rem, 1fr)',
    align: 'end',
    cell: ({ parts }) => money(parts[part]),
  })),
  {
    id: 'node',
    header: 'Node time',
    width: '6rem',
    align: 'end',
    cell: ({ day }) => duration(day.node_seconds * SECOND),
  },
  { id: 'tokens', header: 'Tokens', width: '5rem', align: 'end', cell: ({ day }) => count(day.tokens_served) },
];
