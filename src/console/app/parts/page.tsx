import { Title } from '@mantine/core';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Beside the title: a state, or where it belongs. */
  readonly beside?: ReactNode;
  /** What the user can do here. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page. Its title is that of the document, and gets the focus when the user arrives. */
export function Page({ title, beside, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Control plane`;
  }, [title]);
  // Where the user has arrived: a page of another thing of the same kind is not mounted anew.
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined) return;
    // Not at the first page of a visit: there, the skip link comes first.
    if (shownPath !== undefined && shownPath !== path) heading.current?.focus({ preventScroll: true });
    shownPath = path;
  }, [path]);
  return (
    <>
      <header className={styles.header}>
        <Title order={1} ref={heading} tabIndex={-1} className={styles.title}>
          {title}
        </Title>
        {beside}
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

let shownPath: string | undefined;

/** A part of a page, with a heading and a sentence that says what it shows. */
export function Section({
  title,
  summary,
  aside,
  children,
}: {
  title: string;
  summary?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} aria-label={title}>
      <div className={styles.sectionHead}>
        <h2>{title}</h2>
        {summary !== undefined && <p>{summary}</p>}
        {aside !== undefined && <div className={styles.aside}>{aside}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values, such as the facts of an operation. */
export const Facts = ({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className={styles.facts}>
    {of
      .filter(([, value]) => value !== '' && value !== null && value !== undefined && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
