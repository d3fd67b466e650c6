import { useQuery } from '@tanstack/react-query';
import type { Experiment } from '../../api/experiments';
import { StartsPicture } from '../../charts/starts/starts-picture';
import { NothingYet } from '../../parts/states';
import { Choice } from '../../parts/table/filters';
import { startsQuery } from './experiment-queries';
import type { Change, ExperimentSearch } from './experiment-search';
import styles from './experiment.module.css';

interface StartsTabProps {
  readonly of: Experiment;
  readonly search: Partial<ExperimentSearch>;
  readonly change: Change;
}

/** How long workers took to start while it ran: of its profile, or of one of all. */
export function StartsTab({ of, search, change }: StartsTabProps) {
  const query = useQuery(startsQuery(of));
  const measured = query.data?.rows.filter(({ starts }) => starts.length > 0) ?? [];
  const [first, ...others] = measured.map(({ profile_id: id }) => id);
  const shown = measured.find(({ profile_id: id }) => id === search.profile) ?? measured[0];
  return (
    <>
      {first !== undefined && others.length > 0 && (
        <div className={styles.controls}>
          <Choice
            label="Profile"
            all={first}
            words={Object.fromEntries(others.map((id) => [id, id]))}
            value={search.profile}
            change={(profile) => change({ profile })}
          />
        </div>
      )}
      <StartsPicture
        query={query}
        starts={shown}
        none={
          <NothingYet title="No worker became ready while the experiment ran">
            Starts are measured when a controller reports them, from the scheduling of a worker until it is ready.
          </NothingYet>
        }
        isTable={search.show === 'table'}
        show={(table) => change({ show: table ? 'table' : undefined })}
      />
    </>
  );
}
