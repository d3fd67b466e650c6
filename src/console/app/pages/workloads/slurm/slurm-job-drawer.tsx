import { useQuery } from '@tanstack/react-query';
import { CheckpointAction } from '../../../actions/checkpoint-action';
import type { Cluster } from '../../../api/clusters';
import { Moment } from '../../../parts/time/moment';
import { Facts } from '../../../parts/page';
import { SideDrawer } from '../../../parts/layers/side-drawer';
import { Loaded, NothingYet } from '../../../parts/states';
import { SlurmJobStatus } from '../../../parts/slurm';
import { nameOfCluster } from '../tab';
import { JobHistory } from './job-history';
import { slurmJobQuery } from './slurm-query';
import styles from '../workloads.module.css';

interface SlurmJobDrawerProps {
  readonly id: string | undefined;
  readonly close: () => void;
  readonly clusters: readonly Cluster[];
}

export function SlurmJobDrawer({ id, close, clusters }: SlurmJobDrawerProps) {
  const job = useQuery(slurmJobQuery(id));
  return (
    <SideDrawer title={job.data?.name || 'Slurm job'} isOpen={id !== undefined} close={close}>
      <Loaded query={job}>
        {(data) =>
          data === null ? (
            <NothingYet title="This job is not known">Its cluster has not reported it.</NothingYet>
          ) : (
            <>
              <div className={styles.drawerHead}>
                <SlurmJobStatus status={data.status} />
                <CheckpointAction
                  target={{ kind: 'slurm', clusterId: data.cluster_id, jobId: data.job_id, name: data.name }}
                />
              </div>
              {data.derived_es && <p className={styles.reason}>{data.derived_es}</p>}
              <Facts
                of={[
                  ['Job', data.job_id],
                  ['Cluster', nameOfCluster(clusters, data.cluster_id)],
                  ['Partition', data.partition],
                  ['Account', data.account],
                  ['Nodes', data.nodes],
                  ['Processors', data.num_cpus],
                  ['Submitted', data.submit_time > 0 && <Moment key="submitted" at={data.submit_time * 1_000} />],
                  ['Started', data.start_time > 0 && <Moment key="started" at={data.start_time * 1_000} />],
                  ['Exit code', data.exit_code],
                  ['Failed node', data.failed_node],
                ]}
              />
              <JobHistory job={data} />
            </>
          )
        }
      </Loaded>
    </SideDrawer>
  );
}
