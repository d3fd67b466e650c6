import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { RestoreAction } from '../../actions/restore-action';
import { Moment } from '../../parts/time/moment';
import styles from './workloads.module.css';

/** Rows of a drawer. */
export const SHOWN = 10;

/** An attempt that the drawer of a workload lists, with a link to its page. */
export interface Entry {
  readonly id: string;
  readonly status: ReactNode;
  readonly what: string;
  readonly at: number | string;
  readonly failure?: ReactNode;
}

/** A checkpoint from which the workload can be restored. */
export interface Restorable {
  readonly actionId: string;
  readonly kind: 'kubernetes' | 'slurm';
  readonly name: string;
  readonly at: number | string;
}

export const History = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label="History">
    <h3 className={styles.heading}>{title}</h3>
    {children}
  </section>
);

/** What was attempted with a workload, newest first, and a restore from its newest good checkpoint. */
export const Attempts = ({ of, newest }: { of: readonly Entry[]; newest: Restorable | undefined }) => (
  <>
    <ul className={styles.history}>
      {of.map(({ id, status, what, at, failure }) => (
        <li key={id}>
          {status}
          <Link to="/operations/$id" params={{ id }}>
            {what}
          </Link>
          <span className={styles.quiet}>
            <Moment at={at} />
          </span>
          {failure}
        </li>
      ))}
    </ul>
    {newest && (
      <div className={styles.drawerHead}>
        <span className={styles.quiet}>
          Newest good checkpoint: <Moment at={newest.at} />
        </span>
        <RestoreAction actionId={newest.actionId} kind={newest.kind} name={newest.name} />
      </div>
    )}
  </>
);
