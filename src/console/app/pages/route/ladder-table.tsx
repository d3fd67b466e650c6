import { Link } from '@tanstack/react-router';
import { Status } from '../../parts/status';
import type { Column } from '../../parts/table/data-table';
import { SmallTable } from '../../parts/table/small-table';
import { count, duration, plural } from '../../parts/units';
import { becauseOf, RUNG_TONES, type Rung } from './ladder';
import styles from './ladder.module.css';

/** The targets of a route from first to last, with the places of each at this moment. */
export const Ladder = ({ targets }: { targets: readonly Rung[] }) => (
  <SmallTable label="Targets" columns={COLUMNS} rows={targets} keyOf={({ profile_id: id }) => id} />
);

const COLUMNS: readonly Column<Rung>[] = [
  {
    id: 'profile',
    header: 'Profile',
    width: 'minmax(10rem, 1.2fr)',
    cell: ({ profile_id: id, tier, priority }) => (
      <div>
        <Link to="/profiles/$id" params={{ id }}>
          {id}
        </Link>
        <div className={styles.quiet}>
          {tier}, priority {priority}
        </div>
      </div>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(11rem, 1.4fr)',
    cell: (rung) => (
      <div>
        <Status tone={RUNG_TONES[rung.state]}>{rung.state}</Status>
        <div className={styles.quiet}>{becauseOf(rung)}</div>
      </div>
    ),
  },
  {
    id: 'requests',
    header: 'Requests',
    width: 'minmax(10rem, 1.2fr)',
    cell: (rung) => <Requests of={rung} />,
  },
  {
    id: 'workers',
    header: 'Ready workers',
    width: 'minmax(12rem, 1.6fr)',
    cell: (rung) => <Workers of={rung} />,
  },
];

/** Places that are taken, and requests that wait for one. */
const Requests = ({
  of: { in_flight: running, capacity, waiting, max_queue_depth: most, service_ms: ms },
}: {
  of: Rung;
}) => (
  <div className={styles.requests}>
    <Places taken={running} of={capacity} />
    <div>
      {count(running)} in flight, {count(waiting)} waiting
    </div>
    <div className={styles.quiet}>
      {duration(Math.max(ms, 1) * 1e6)} each, at most {count(most)} wait
    </div>
  </div>
);

/** The words beside it say the same. */
const Places = ({ taken, of }: { taken: number; of: number }) => (
  <div className={styles.places} data-full={(of > 0 && taken >= of) || undefined} aria-hidden>
    <div style={{ width: `${of === 0 ? 0 : Math.min(100, (100 * taken) / of)}%` }} />
  </div>
);

/** An address that stands for all workers has no name of its own. */
const Workers = ({ of: { ready_workers: ready, target_concurrency: each, workers } }: { of: Rung }) => (
  <div>
    <div>{ready === 0 ? 'none' : `${count(ready)}, with ${plural(each, 'place')} each`}</div>
    {workers.length > 0 && (
      <ul className={styles.workers}>
        {workers.map(({ workload_uid: uid, endpoint, in_flight: running, capacity, passed_over_ms: restsMs }) => (
          <li key={uid ?? endpoint}>
            <code>{endpoint}</code> {count(running)} of {count(capacity)}
            {restsMs > 0 && <Status tone="bad">failed, rests {duration(restsMs * 1e6)}</Status>}
          </li>
        ))}
      </ul>
    )}
  </div>
);
