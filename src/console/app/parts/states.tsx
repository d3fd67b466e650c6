import { Button, Code, CopyButton, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { problemFrom, type ProblemError } from '../api/problem';
import styles from './states.module.css';

/** What stands where there is nothing to show. There are five kinds, and they never look alike. */

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = problemFrom(error);
  return (
    <div className={styles.state} data-tone={problem.isForbidden ? 'warn' : 'bad'} role="alert">
      <strong>{problem.isForbidden ? 'Not allowed' : problem.title}</strong>
      <span>{problem.message}</span>
      <Evidence of={problem} />
      {retry && !problem.isForbidden && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

const Evidence = ({ of: { code, requestId } }: { of: ProblemError }) => (
  <span className={styles.detail}>
    {code}
    {requestId !== undefined && (
      <>
        {' · request '}
        <Code>{requestId}</Code>
      </>
    )}
  </span>
);

/** What does not exist, and may soon: it is asked for again by itself, so it is not announced each time. */
export const Awaited = ({
  title,
  problem,
  children,
}: {
  title: string;
  problem: ProblemError;
  children: ReactNode;
}) => (
  <div className={styles.state}>
    <strong>{title}</strong>
    <span>
      {problem.message} {children}
    </span>
    <Evidence of={problem} />
  </div>
);

/** What the role may not read is not asked for. */
export const NotAllowed = ({ reason }: { reason: string | undefined }) => (
  <div className={styles.state} data-tone="warn">
    <strong>Not allowed</strong>
    <span>{reason}</span>
  </div>
);

/** @param command what makes the first one appear, ready to be pasted into a shell */
export function NothingYet({ title, children, command }: { title: string; children?: ReactNode; command?: string }) {
  return (
    <div className={styles.state}>
      <strong>{title}</strong>
      {children && <span>{children}</span>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

export function NothingMatches({ clear, what }: { clear: () => void; what: string }) {
  return (
    <div className={styles.state}>
      <strong>No {what} match these filters</strong>
      <Button size="xs" variant="default" onClick={clear}>
        Clear filters
      </Button>
    </div>
  );
}

export const Command = ({ text }: { text: string }) => (
  <div className={styles.command}>
    <pre tabIndex={0} aria-label="Command">
      {text}
    </pre>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="compact-xs" variant="default" onClick={copy}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      )}
    </CopyButton>
  </div>
);

export const Loading = ({ lines = 4 }: { lines?: number }) => (
  <div className={styles.loading} role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      <Skeleton key={line} height={18} />
    ))}
  </div>
);

/** The data of a query, or why there are none. Old data stay while they are read again, or if that fails. */
export function Loaded<T>({
  query,
  children,
  lines,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
  lines?: number;
}) {
  const { data, error, isError } = query;
  if (data === undefined) {
    if (!isError) return <Loading lines={lines} />;
    return <Problem error={error} retry={() => void query.refetch()} />;
  }
  return (
    <>
      {isError && <Problem error={error} retry={() => void query.refetch()} />}
      {children(data)}
    </>
  );
}
