import type { ReactNode } from 'react';
import { BadIcon, BusyIcon, GoodIcon, QuietIcon, WarnIcon } from '../../../parts/icons';
import { count, plural } from '../../../parts/units';
import type { Counts, Outcome } from './calendar-layout';
import { openOf } from './calendar-layout';
import styles from './calendar.module.css';

/** How beats went, as an icon and a word. */
interface Shown {
  readonly tone: 'good' | 'bad' | 'busy' | 'warn' | 'quiet' | 'plain';
  readonly icon: () => ReactNode;
  /** In a cell, which is narrow. */
  readonly short: (counts: Counts) => string;
  /** In the legend. */
  readonly meaning: string;
}

const PlannedIcon = () => <span className={styles.planned} aria-hidden="true" />;

export const OUTCOMES: Readonly<Record<Outcome, Shown>> = {
  ready: { tone: 'good', icon: GoodIcon, short: ({ ready }) => count(ready), meaning: 'Checkpoints ready' },
  failed: { tone: 'bad', icon: BadIcon, short: ({ failed }) => `${count(failed)} failed`, meaning: 'Some failed' },
  missed: {
    tone: 'warn',
    icon: WarnIcon,
    short: ({ missed }) => `${count(missed)} missed`,
    meaning: 'Beats were missed',
  },
  late: {
    tone: 'warn',
    icon: BusyIcon,
    short: ({ late }) => `${count(late)} late`,
    meaning: 'Requested over a minute late',
  },
  overdue: { tone: 'busy', icon: BusyIcon, short: () => 'due', meaning: 'Due, not run yet' },
  open: { tone: 'busy', icon: BusyIcon, short: (counts) => `${count(openOf(counts))} open`, meaning: 'Not ready yet' },
  empty: { tone: 'quiet', icon: QuietIcon, short: () => 'nothing', meaning: 'Nothing was requested' },
  planned: { tone: 'plain', icon: PlannedIcon, short: ({ planned }) => count(planned), meaning: 'Beats to come' },
};

/** All that is known of some beats, in a sentence. */
export function sentenceOf(counts: Counts): string {
  const said: [number, (value: number) => string][] = [
    [counts.requested, (value) => `${plural(value, 'checkpoint')} requested`],
    [counts.ready, (value) => `${count(value)} ready`],
    [counts.failed, (value) => `${count(value)} failed`],
    [openOf(counts), (value) => `${count(value)} open`],
    [counts.late, (value) => `${plural(value, 'beat')} late`],
    [counts.missed, (value) => `${plural(value, 'beat')} missed`],
    [counts.overdue, (value) => `${plural(value, 'beat')} due`],
    [counts.empty, (value) => `${plural(value, 'beat')} requested nothing`],
    [counts.planned, (value) => `${count(value)} to come`],
  ];
  const parts = said.filter(([value]) => value > 0).map(([value, words]) => words(value));
  return `${plural(counts.beats, 'beat')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
}

export const Legend = () => (
  <ul className={styles.legend}>
    {Object.entries(OUTCOMES).map(([outcome, { tone, icon: Icon, meaning }]) => (
      <li key={outcome} data-tone={tone} className={styles.mark}>
        <Icon /> <span className={styles.meaning}>{meaning}</span>
      </li>
    ))}
    <li>
      <span className={styles.stripeSample} aria-hidden="true" /> Maintenance window
    </li>
  </ul>
);
