import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { Rows } from '../../../api/client';
import { Picture } from '../../../parts/picture';
import { Section } from '../../../parts/page';
import { Loaded, Problem } from '../../../parts/states';
import { now, useNow } from '../../../parts/time/clock';
import { plural } from '../../../parts/units';
import { scheduleQuery, WINDOWS, windowsQuery, type Schedule, type SlurmWindow } from '../policies-queries';
import type { PoliciesSearch } from '../policies-search';
import { moment } from '../policy-words';
import { Calendar } from './calendar';
import { backgroundsOf, cellAt, cellsOf, keyOf, stripesOf, sumOf, type Background, type Cell } from './calendar-layout';
import { HourDetails } from './hour-details';
import { DayList, HourTable } from './hours-list';
import { NextFirings } from './next-firings';
import { Legend, sentenceOf } from './outcomes';
import { mondayName, shifted, weekOf, zonesOf, type Week } from './weeks';
import styles from './calendar.module.css';

interface WeekPictureProps {
  readonly search: PoliciesSearch;
  readonly change: (part: Partial<PoliciesSearch>) => void;
  readonly open: (policy: string) => void;
  /** Weeks are places to come back to: the browser's Back returns to the one before. */
  readonly goTo: (week: string | undefined) => void;
}

/** The beats of a week, and the next ones. */
export function WeekPicture({ search, change, open, goTo }: WeekPictureProps) {
  const time = useNow();
  const name = search.week ?? mondayName(time);
  const week = useMemo(() => weekOf(name, now()), [name]);
  const span = { from: week.midnights[0] ?? 0, until: week.midnights.at(-1) ?? 0 };
  const schedule = useQuery(scheduleQuery(span));
  const windows = useQuery(windowsQuery(span));
  return (
    <>
      <WeekChoice week={week} goTo={goTo} />
      {schedule.data === undefined ? (
        <Section title="Calendar">
          <Loaded query={schedule} lines={12}>
            {() => null}
          </Loaded>
        </Section>
      ) : (
        <Loaded query={schedule}>
          {(data) => (
            <LoadedWeek week={week} schedule={data} windows={windows} search={search} change={change} open={open} />
          )}
        </Loaded>
      )}
    </>
  );
}

const FIRST = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' });
const LAST = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

const weekWords = ({ midnights }: Week): string => `${FIRST.format(midnights[0])} to ${LAST.format(midnights[6])}`;

function WeekChoice({ week, goTo }: { week: Week; goTo: WeekPictureProps['goTo'] }) {
  const present = mondayName(useNow());
  const to = (name: string) => () => goTo(name === present ? undefined : name);
  return (
    <div className={styles.choice} role="group" aria-label="Week">
      <Button size="xs" variant="default" onClick={to(shifted(week, -1))}>
        Previous week
      </Button>
      <Button size="xs" variant="default" onClick={to(present)} disabled={week.name === present}>
        This week
      </Button>
      <Button size="xs" variant="default" onClick={to(shifted(week, 1))}>
        Next week
      </Button>
      <strong>{weekWords(week)}</strong>
    </div>
  );
}

interface LoadedWeekProps extends Omit<WeekPictureProps, 'goTo'> {
  readonly week: Week;
  readonly schedule: Schedule;
  readonly windows: UseQueryResult<Rows<SlurmWindow[]>>;
}

function LoadedWeek({ week, schedule, windows, search, change, open }: LoadedWeekProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const time = useNow();
  const cells = useMemo(() => cellsOf(schedule.policies, week), [schedule, week]);
  const reserved = windows.data?.rows;
  const backgrounds = useMemo(() => backgroundsOf(schedule, reserved, time), [schedule, reserved, time]);
  const stripes = useMemo(() => stripesOf(backgrounds, week), [backgrounds, week]);
  const shown = new Set(stripes.map(({ id }) => id));
  const chosen = search.hour === undefined ? undefined : cellAt(cells, search.hour, week);
  const choose = (cell: Cell) => change({ hour: cell === chosen ? undefined : cell.from });
  const hours = useRef<HTMLDivElement>(null);
  const close = (cell: Cell) => {
    // The button that closes goes away, and would take the focus with it.
    hours.current?.querySelector<HTMLElement>(`[data-place="${keyOf(cell)}"]`)?.focus();
    change({ hour: undefined });
  };
  const details = chosen && <HourDetails cell={chosen} open={open} close={() => close(chosen)} />;
  const today = week.midnights.findIndex((midnight, day) => midnight <= time && time < (week.midnights[day + 1] ?? 0));
  return (
    <Picture
      title="Calendar"
      summary={summaryOf(schedule, week)}
      isTable={search.show === 'table'}
      show={(isTable) => change({ show: isTable ? 'table' : undefined })}
      table={<HourTable cells={cells} />}
    >
      <div className={styles.sides}>
        <div className={styles.main} ref={hours}>
          {isNarrow ? (
            <DayList
              key={week.name}
              week={week}
              cells={cells}
              today={today}
              chosen={chosen}
              choose={choose}
              details={details}
            />
          ) : (
            <>
              <Legend />
              <Calendar key={week.name} week={week} cells={cells} stripes={stripes} chosen={chosen} choose={choose} />
            </>
          )}
          {windows.isError && <Problem error={windows.error} retry={() => void windows.refetch()} />}
          <Windows of={backgrounds.filter(({ id }) => shown.has(id))} hasMore={windows.data?.next !== undefined} />
        </div>
        <div className={styles.side}>
          {!isNarrow && details}
          <NextFirings schedule={schedule} open={open} />
        </div>
      </div>
    </Picture>
  );
}

const MOST_WINDOWS = 8;

const Windows = ({ of, hasMore }: { of: readonly Background[]; hasMore: boolean }) =>
  of.length > 0 && (
    <div className={styles.windows}>
      <h3>Maintenance windows of this week</h3>
      <ul>
        {of.slice(0, MOST_WINDOWS).map(({ id, label, from, until }) => (
          <li key={id}>
            {label}
            <span className={styles.quiet}>
              {moment(from)} to {moment(until)}
            </span>
          </li>
        ))}
        {of.length > MOST_WINDOWS && <li className={styles.quiet}>and {of.length - MOST_WINDOWS} more</li>}
        {hasMore && <li className={styles.quiet}>Of the windows of Slurm, only the first {WINDOWS} are shown.</li>}
      </ul>
    </div>
  );

function summaryOf({ policies, total_count: total }: Schedule, week: Week): string {
  if (total === 0) return 'no beat was or will be due in this week';
  const sum = sumOf(policies.flatMap(({ firings }) => firings.map((counts) => ({ counts }))));
  const drawn = `${policies.length} of ${plural(total, 'policy', 'policies')} drawn`;
  return `${sentenceOf(sum)}; ${drawn}; times are in ${zonesOf(week)}`;
}
