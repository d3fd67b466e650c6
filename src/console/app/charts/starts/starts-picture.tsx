import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FEWEST } from '../distribution';
import { Distributions } from '../distributions';
import type { Rows } from '../../api/client';
import type { Starts } from '../../api/serving';
import { Picture } from '../../parts/picture';
import { startWord } from '../../parts/models/profile-facts';
import { Loaded } from '../../parts/states';
import type { Column } from '../../parts/table/data-table';
import { SmallTable } from '../../parts/table/small-table';
import { Moment } from '../../parts/time/moment';
import { duration } from '../../parts/units';
import { drawnOf, sentenceOf, seriesOf } from './starts';
import styles from './starts.module.css';

interface StartsPictureProps {
  readonly query: UseQueryResult<Rows<Starts[]>>;
  /** What of its answer is drawn. */
  readonly starts: Starts | undefined;
  /** Stands where nothing was measured. */
  readonly none: ReactNode;
  readonly isTable: boolean;
  readonly show: (table: boolean) => void;
}

/** How long starts take that are cold, and those that restore a checkpoint. */
export function StartsPicture({ query, starts, none, isTable, show }: StartsPictureProps) {
  const hasAny = starts !== undefined && starts.starts.length > 0;
  const loaded = (shown: (starts: Starts) => ReactNode) => (
    <Loaded query={query}>{() => (hasAny ? shown(starts) : none)}</Loaded>
  );
  return (
    <Picture
      title="Cold against restored"
      summary={hasAny ? sentenceOf(starts) : 'From the scheduling of a worker until it was ready.'}
      isTable={isTable}
      show={show}
      table={loaded((all) => (
        <SmallTable label="Starts" columns={COLUMNS} rows={all.starts} keyOf={keyOf} />
      ))}
    >
      {loaded((all) => (
        <>
          <Distributions
            series={seriesOf(all)}
            label={`Shares of starts that took at most so long. ${sentenceOf(all)}`}
          />
          <Legend starts={all} />
        </>
      ))}
    </Picture>
  );
}

const Legend = ({ starts }: { starts: Starts }) => (
  <p className={styles.legend}>
    {seriesOf(starts).map(({ name, kind, values }) => {
      const n = (name === 'cold' ? starts.cold : starts.restored)?.samples ?? values.length;
      return (
        <span key={name} className={styles.entry}>
          <span className={styles.swatch} data-kind={kind} data-few={values.length < FEWEST || undefined} />
          {name}, n = {n}
          {values.length < FEWEST && ' (each drawn by itself)'}
        </span>
      );
    })}
    <span>
      {seriesOf(starts).some(({ values }) => values.length >= FEWEST) && 'Share of starts that took at most so long. '}
      {drawnOf(starts)} Faster is further left.
    </span>
  </p>
);

type Start = Starts['starts'][number];

const keyOf = ({ pod_name: pod, ready_at: at }: Start, place: number): string => `${pod} ${at} ${place}`;

const COLUMNS: readonly Column<Start>[] = [
  { id: 'kind', header: 'Start', width: '6rem', cell: ({ restored }) => startWord(restored) },
  {
    id: 'duration',
    header: 'Duration',
    width: '6rem',
    align: 'end',
    cell: ({ start_time_ms: ms }) => duration(ms * 1e6),
  },
  { id: 'ready', header: 'Ready', width: '7rem', cell: ({ ready_at: at }) => (at === null ? '–' : <Moment at={at} />) },
  { id: 'pod', header: 'Worker', width: 'minmax(8rem, 1fr)', cell: ({ pod_name: pod }) => pod || '–' },
  { id: 'from', header: 'From', width: 'minmax(10rem, 2fr)', cell: ({ checkpoint_path: path }) => path ?? '–' },
];
