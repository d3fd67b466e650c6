import type { ReactNode } from 'react';
import { Section } from '../../../parts/page';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { SmallTable } from '../../../parts/table/small-table';
import { plural } from '../../../parts/units';
import {
  beginOf,
  heldOf,
  holderOf,
  keyOf,
  nameOf,
  percent,
  spanWords,
  type HeatMap,
  type HeatRow,
  type Held,
} from './heat-rows';
import { PodLink } from './pod-link';
import styles from '../metrics.module.css';

interface Line {
  readonly row: HeatRow;
  readonly bin: number;
}

/** Every cell of the map as a line, the newest ones of each row first. */
export function HeatTable({ map, rowHeader }: { map: HeatMap; rowHeader: (row: HeatRow) => ReactNode }) {
  const bins = Array.from({ length: map.bins }, (_, bin) => map.bins - 1 - bin);
  const lines = map.rows.flatMap((row) => bins.map((bin): Line => ({ row, bin })));
  return (
    <DataTable
      label="Use of GPUs"
      columns={linesOf(map, rowHeader)}
      source={sourceOf(lines)}
      keyOf={({ row, bin }) => `${keyOf(row)} ${bin}`}
    />
  );
}

const linesOf = (map: HeatMap, rowHeader: (row: HeatRow) => ReactNode): readonly Column<Line>[] => {
  const isOfNode = map.rows[0]?.gpu_uuid !== null;
  return [
    { id: 'row', header: isOfNode ? 'GPU' : 'Node', width: 'minmax(8rem, 1.2fr)', cell: ({ row }) => rowHeader(row) },
    {
      id: 'time',
      header: 'Time',
      width: 'minmax(11rem, 1.2fr)',
      cell: ({ bin }) => spanWords(map, beginOf(map, bin), beginOf(map, bin + 1)),
    },
    {
      id: 'use',
      header: 'Utilisation',
      width: '7rem',
      align: 'end',
      cell: ({ row, bin }) => percent(row.utilization[bin]),
    },
    {
      id: 'memory',
      header: 'Used memory',
      width: '7.5rem',
      align: 'end',
      cell: ({ row, bin }) => percent(row.memory_used[bin]),
    },
    isOfNode
      ? {
          id: 'pod',
          header: 'Pod',
          width: 'minmax(10rem, 1.5fr)',
          cell: ({ row, bin }) => {
            const holder = holderOf(map, row, bin);
            return holder ? <PodLink of={holder} /> : '–';
          },
        }
      : {
          id: 'gpus',
          header: 'GPUs reported',
          width: '7.5rem',
          align: 'end',
          cell: ({ row, bin }) => `${row.reported[bin]} of ${row.gpus}`,
        },
  ];
};

const SHOWN = 100;

/** Which pod held each GPU, from when until when. */
export function HeldTable({ map }: { map: HeatMap }) {
  const held = heldOf(map);
  if (held.length === 0) return null;
  return (
    <Section
      title="What held the GPUs"
      summary={
        held.length > SHOWN
          ? `the first ${SHOWN} of ${plural(held.length, 'span')} of time`
          : `${plural(held.length, 'span')} of time`
      }
    >
      <SmallTable
        label="What held the GPUs"
        columns={heldColumns(map)}
        rows={held.slice(0, SHOWN)}
        keyOf={({ row, from }) => `${keyOf(row)} ${from}`}
      />
    </Section>
  );
}

const heldColumns = (map: HeatMap): readonly Column<Held>[] => [
  { id: 'gpu', header: 'GPU', width: '5.5rem', cell: ({ row }) => nameOf(row) },
  { id: 'pod', header: 'Pod', width: 'minmax(11rem, 2fr)', cell: ({ holder }) => <PodLink of={holder} /> },
  {
    id: 'time',
    header: 'Time',
    width: 'minmax(11rem, 1fr)',
    cell: ({ from, until }) => <span className={styles.figure}>{spanWords(map, from, until)}</span>,
  },
  { id: 'use', header: 'Utilisation', width: '7rem', align: 'end', cell: (span) => percent(span.utilization) },
  { id: 'memory', header: 'Used memory', width: '7rem', align: 'end', cell: (span) => percent(span.memory) },
];
