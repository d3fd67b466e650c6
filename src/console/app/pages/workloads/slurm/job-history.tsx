import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, read, type Schemas } from '../../../api/client';
import { refreshEvery } from '../../../api/live';
import { SlurmCheckpointStatus } from '../../../parts/slurm';
import { Loaded, NothingYet } from '../../../parts/states';
import { Attempts, History, SHOWN, type Restorable } from '../history';
import type { SlurmJob } from './slurm-query';

type Checkpoint = Schemas['SlurmCheckpointView'];

/** By the number of the job: its name may be that of others, whose attempts are not its own. */
const checkpointsQuery = ({ cluster_id: cluster, job_id: job }: SlurmJob) =>
  queryOptions({
    queryKey: ['checkpoints', 'of-slurm-job', cluster, job],
    queryFn: ({ signal }) => {
      const query = { cluster_id: cluster, job_id: String(job), limit: SHOWN };
      return read(api.GET('/v1/slurm/checkpoints', { params: { query }, signal }));
    },
    refetchInterval: refreshEvery(),
  });

export function JobHistory({ job }: { job: SlurmJob }) {
  const checkpoints = useQuery(checkpointsQuery(job));
  return (
    <History title="Checkpoints">
      <Loaded query={checkpoints}>
        {(rows) =>
          rows.length === 0 ? (
            <NothingYet title="Never checkpointed" />
          ) : (
            <Attempts
              of={rows.map(({ id, status, created_at: at }) => ({
                id,
                status: <SlurmCheckpointStatus status={status} />,
                what: 'checkpoint',
                at,
              }))}
              newest={newestOf(rows, job.name)}
            />
          )
        }
      </Loaded>
    </History>
  );
}

function newestOf(checkpoints: readonly Checkpoint[], name: string): Restorable | undefined {
  const good = checkpoints.find(({ status }) => status === 'ready');
  return good?.action_id ? { actionId: good.action_id, kind: 'slurm', name, at: good.created_at } : undefined;
}
