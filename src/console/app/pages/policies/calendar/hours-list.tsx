import type { ReactNode } from 'react';
import { DataTable, type Column } from '../../../parts/table/data-table';
import { sourceOf } from '../../../parts/table/row-source';
import { Status } from '../../../parts/status';
import { count, plural } from '../../../parts/units';
import { moment } from '../policy-words';
import { keyOf, outcomeOf, sumOf, type Cell } from './calendar-layout';
import { OUTCOMES, sentenceOf } from './outcomes';
import { DAYS, timeText, type Week } from './weeks';
import styles from './calendar.module.css';

const LONG_DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

interface DayListProps {
  readonly week: Week;
  readonly cells: readonly Cell[];
  readonly today: number;
  readonly chosen: Cell | undefined;
  readonly choose: (cell: Cell) => void;
  /** Of the chosen hour. */
  readonly details: ReactNode;
}

/** The calendar on a narrow screen: a line for each day, which opens to its hours. */
export const DayList = ({ week, cells, today, chosen, choose, details }: DayListProps) => (
  <div className={styles.days}>
    {Array.from({ length: DAYS }, (_, day) => {
      const ofDay = cells.filter((cell) => cell.day === day);
      return (
        <details key={day} open={day === (chosen?.day ?? today)}>
          <summary>
            <span className={styles.dayName}>{LONG_DAY.format(week.midnights[day])}</span>
            <span className={styles.quiet}>{ofDay.length === 0 ? 'No beat' : sentenceOf(sumOf(ofDay))}</span>
          </summary>
          <ul className={styles.hours}>
            {ofDay.map((cell) => (
              <li key={keyOf(cell)}>
                <button
                  type="button"
                  className={styles.hourButton}
                  data-place={keyOf(cell)}
                  aria-expanded={cell === chosen}
                  onClick={() => choose(cell)}
                >
                  {timeText(cell.hour)}
                  <Outcome cell={cell} />
                </button>
                {cell === chosen && details}
              </li>
            ))}
          </ul>
        </details>
      );
    })}
  </div>
);

function Outcome({ cell: { counts } }: { cell: Cell }) {
  const { tone, icon: Icon, short, meaning } = OUTCOMES[outcomeOf(counts)];
  const words = short(counts);
  return (
    <span className={styles.mark} data-tone={tone}>
      <Icon /> {/^[\d,]+$/.test(words) ? `${words} · ${meaning.toLowerCase()}` : words}
    </span>
  );
}

const figure = (member: 'beats' | 'requested' | 'ready' | 'failed' | 'late' | 'missed' | 'empty' | 'planned') => ({
  align: 'end' as const,
  width: 'minmax(4rem, 1fr)',
  cell: ({ counts }: Cell) => (counts[member] === 0 ? '–' : count(counts[member])),
});

const COLUMNS: readonly Column<Cell>[] = [
  { id: 'when', header: 'Hour', width: 'minmax(9rem, 1.6fr)', cell: ({ from }) => moment(from) },
  {
    id: 'policies',
    header: 'Policies',
    width: 'minmax(5rem, 1fr)',
    cell: ({ parts }) => plural(parts.length, 'policy', 'policies'),
  },
  { id: 'beats', header: 'Beats', ...figure('beats') },
  { id: 'requested', header: 'Requested', ...figure('requested') },
  { id: 'ready', header: 'Ready', ...figure('ready') },
  {
    id: 'failed',
    header: 'Failed',
    width: 'minmax(4rem, 1fr)',
    align: 'end',
    cell: ({ counts: { failed } }) => (failed === 0 ? '–' : <Status tone="bad">{count(failed)}</Status>),
  },
  { id: 'late', header: 'Late', ...figure('late') },
  { id: 'missed', header: 'Missed', ...figure('missed') },
  { id: 'empty', header: 'Requested nothing', ...figure('empty') },
  { id: 'planned', header: 'To come', ...figure('planned') },
];

/** The same as the calendar. */
export const HourTable = ({ cells }: { cells: readonly Cell[] }) => (
  <DataTable label="Beats by hour" columns={COLUMNS} source={sourceOf(cells)} keyOf={keyOf} />
);
