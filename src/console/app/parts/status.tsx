import type { ReactNode } from 'react';
import { BadIcon, BusyIcon, GoodIcon, QuietIcon, WarnIcon } from './icons';
import styles from './status.module.css';

export type Tone = 'good' | 'bad' | 'busy' | 'warn' | 'quiet';

const ICONS = { good: GoodIcon, bad: BadIcon, busy: BusyIcon, warn: WarnIcon, quiet: QuietIcon };

/** A state: an icon and a word, so that nobody needs its colour. */
export function Status({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <span className={styles.status} data-tone={tone}>
      <Icon />
      <span className={styles.word} title={typeof children === 'string' ? children : undefined}>
        {children}
      </span>
    </span>
  );
}
