import { useState, type KeyboardEvent } from 'react';
import { useNow } from '../../../parts/time/clock';
import { heightOf, keyOf, type Cell, type Stripe } from './calendar-layout';
import { OUTCOMES, sentenceOf } from './outcomes';
import { outcomeOf } from './calendar-layout';
import { DAYS, hasOneZone, HOURS, timeText, utcText, wallClock, zonesOf, type Week } from './weeks';
import styles from './calendar.module.css';

interface CalendarProps {
  readonly week: Week;
  readonly cells: readonly Cell[];
  readonly stripes: readonly Stripe[];
  readonly chosen: Cell | undefined;
  readonly choose: (cell: Cell) => void;
}

const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const LONG_DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

const STEPS: Readonly<Record<string, readonly [days: number, hours: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [0, -HOURS],
  End: [0, HOURS],
};

const within = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

/** A column for each day, a row for each hour. The arrow keys walk over the hours, and Enter chooses one. */
export function Calendar({ week, cells, stripes, chosen, choose }: CalendarProps) {
  const now = useNow();
  const byPlace = new Map(cells.map((cell) => [keyOf(cell), cell]));
  const today = week.midnights.findIndex((midnight, day) => midnight <= now && now < (week.midnights[day + 1] ?? 0));
  const [place, setPlace] = useState<readonly [day: number, hour: number]>();
  const [day, hour] = place ?? [(chosen ?? cells[0])?.day ?? 0, (chosen ?? cells[0])?.hour ?? 0];
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const cell = byPlace.get(`${day} ${hour}`);
    if ((event.key === 'Enter' || event.key === ' ') && cell) {
      event.preventDefault();
      choose(cell);
      return;
    }
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [toDay, toHour] = [within(day + step[0], DAYS), within(hour + step[1], HOURS)];
    event.currentTarget.querySelector<HTMLElement>(`[data-place="${toDay} ${toHour}"]`)?.focus();
  };
  return (
    <div role="grid" aria-label="Beats by day and hour" className={styles.calendar} onKeyDown={walk}>
      <div role="row" className={styles.row}>
        <div role="columnheader" className={styles.corner}>
          {zonesOf(week)}
        </div>
        {week.midnights.slice(0, DAYS).map((midnight, column) => (
          <div
            key={midnight}
            role="columnheader"
            className={styles.day}
            aria-current={column === today ? 'date' : undefined}
          >
            {DAY.format(midnight)}
          </div>
        ))}
      </div>
      <div role="rowgroup" className={styles.body}>
        <Behind stripes={stripes} today={today} now={now} />
        {Array.from({ length: HOURS }, (_, row) => (
          <div key={row} role="row" className={styles.row}>
            <HourHeader week={week} hour={row} />
            {Array.from({ length: DAYS }, (_, column) => {
              const cell = byPlace.get(`${column} ${row}`);
              const isPlace = column === day && row === hour;
              return (
                <div
                  key={column}
                  role="gridcell"
                  data-place={`${column} ${row}`}
                  tabIndex={isPlace ? 0 : -1}
                  className={styles.cell}
                  data-full={cell !== undefined || undefined}
                  aria-selected={cell !== undefined && cell === chosen}
                  aria-label={labelOf(week, column, row, cell)}
                  onFocus={() => setPlace([column, row])}
                  onClick={() => cell && choose(cell)}
                >
                  {cell && <Mark cell={cell} />}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </div>
  );
}

function labelOf({ midnights }: Week, day: number, hour: number, cell: Cell | undefined): string {
  const when = `${LONG_DAY.format(midnights[day])}, ${timeText(hour)}`;
  if (!cell) return `${when}. No beat`;
  // What is seen comes first, so that people who speak to the page can say it.
  return `${when}. ${OUTCOMES[outcomeOf(cell.counts)].short(cell.counts)}. ${sentenceOf(cell.counts)}`;
}

function Mark({ cell: { counts } }: { cell: Cell }) {
  const { tone, icon: Icon, short } = OUTCOMES[outcomeOf(counts)];
  return (
    <span className={styles.mark} data-tone={tone} title={sentenceOf(counts)}>
      <Icon />
      <span>{short(counts)}</span>
    </span>
  );
}

/** The hour by the clock of the user, and in UTC where that differs, and is the same on all days. */
function HourHeader({ week, hour }: { week: Week; hour: number }) {
  const utc = utcText((week.midnights[0] ?? 0) + hour * 3_600_000);
  const local = timeText(hour);
  return (
    <div role="rowheader" className={styles.hour}>
      {local}
      {utc !== local && hasOneZone(week) && <span className={styles.utc}>{utc} UTC</span>}
    </div>
  );
}

/** What lies behind the cells: maintenance windows, which a list below names, and the present. */
const Behind = ({ stripes, today, now }: { stripes: readonly Stripe[]; today: number; now: number }) => (
  <div className={styles.behind} aria-hidden="true">
    <span />
    {Array.from({ length: DAYS }, (_, day) => (
      <span key={day} className={styles.column}>
        {stripes
          .filter((stripe) => stripe.day === day)
          .map(({ id, label, top, bottom, lane }) => (
            <span
              key={id}
              className={styles.stripe}
              title={label}
              style={{ top: `${100 * top}%`, height: `${100 * (bottom - top)}%`, left: `${lane * 5}px` }}
            />
          ))}
        {day === today && <span className={styles.now} style={{ top: `${100 * heightOf(wallClock(now))}%` }} />}
      </span>
    ))}
  </div>
);
