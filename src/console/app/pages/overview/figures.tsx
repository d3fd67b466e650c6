import { Skeleton } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client';
import { clustersQuery } from '../../api/clusters';
import { problemFrom } from '../../api/problem';
import { count, duration, plural, share } from '../../parts/units';
import styles from './overview.module.css';

type Summary = Schemas['OperationsSummaryView'];

/** Four figures. Each leads to the list that it counts. */
export function Figures({ summary }: { summary: UseQueryResult<Summary> }) {
  const clusters = useQuery(clustersQuery);
  return (
    <div className={styles.figures}>
      <Figure
        label="Failed attempts, last 24 hours"
        query={summary}
        link={{ to: '/operations', search: { result: 'failed', window: '24h' } }}
        tone={({ failed }) => (failed > 0 ? 'bad' : 'good')}
        value={({ failed }) => count(failed)}
        note={({ failed, attempts }) =>
          attempts === 0 ? 'no attempt began' : `${share(failed, attempts)} of ${plural(attempts, 'attempt')}`
        }
      />
      <Figure
        label="Attempts that run now"
        query={summary}
        link={{ to: '/operations', search: { result: 'running', window: '24h' } }}
        tone={() => undefined}
        value={(data) => count(runningOf(data))}
        note={() => 'begun in the last 24 hours'}
      />
      <Figure
        label="Stopped by a checkpoint"
        query={summary}
        link={{ to: '/operations', search: { kind: 'checkpoint', window: '24h' } }}
        tone={() => undefined}
        value={(data) => nanoseconds(checkpointsOf(data)?.pause_p50_ns)}
        note={(data) => pauseNote(checkpointsOf(data)?.pause_p95_ns)}
      />
      <Figure
        label="Clusters that report"
        query={clusters}
        link={{ to: '/clusters' }}
        tone={(all) => (all.some(({ status }) => status !== 'active') ? 'bad' : undefined)}
        value={(all) => `${count(all.filter(({ status }) => status === 'active').length)} of ${count(all.length)}`}
        note={(all) => silentOf(all.filter(({ status }) => status !== 'active').map(({ name }) => name))}
      />
    </div>
  );
}

const runningOf = ({ attempts, succeeded, failed, fallbacks }: Summary): number =>
  attempts - succeeded - failed - fallbacks;

const checkpointsOf = ({ operations }: Summary) => operations.find(({ operation }) => operation === 'checkpoint');

const pauseNote = (p95: number | null | undefined): string =>
  p95 == null ? 'no checkpoint stopped one' : `median; 95 % below ${duration(p95)}`;

const nanoseconds = (ns: number | null | undefined): string => (ns == null ? '–' : duration(ns));

const silentOf = (names: readonly string[]): string => {
  if (names.length === 0) return 'in the last 5 minutes';
  return `silent: ${names.slice(0, 2).join(', ')}${names.length > 2 ? ` and ${names.length - 2} more` : ''}`;
};

type Tone = 'good' | 'bad' | undefined;

/** Of a figure that could not be read again: what was bad still counts, but nobody knows that all is well. */
const oldTone = (tone: Tone): Tone => (tone === 'good' ? undefined : tone);

interface FigureProps<T> {
  readonly label: string;
  readonly query: UseQueryResult<T>;
  readonly link: LinkProps;
  readonly tone: (data: T) => Tone;
  readonly value: (data: T) => ReactNode;
  readonly note: (data: T) => string;
}

function Figure<T>({ label, query, link, tone, value, note }: FigureProps<T>) {
  const { data, error } = query;
  const failure = error === null ? undefined : problemFrom(error).message;
  return (
    <Link {...link} className={styles.figure}>
      <span className={styles.label}>{label}</span>
      {data === undefined ? (
        <span className={styles.value}>{failure !== undefined ? '–' : <Skeleton height={28} width={70} />}</span>
      ) : (
        <span className={styles.value} data-tone={failure === undefined ? tone(data) : oldTone(tone(data))}>
          {value(data)}
        </span>
      )}
      <span className={styles.note}>
        {data === undefined ? failure : `${note(data)}${failure === undefined ? '' : `; this may be old: ${failure}`}`}
      </span>
    </Link>
  );
}
