import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { CheckpointAction } from '../../../actions/checkpoint-action';
import { api, read } from '../../../api/client';
import type { Cluster } from '../../../api/clusters';
import { refreshEvery } from '../../../api/live';
import { Facts } from '../../../parts/page';
import { SideDrawer } from '../../../parts/layers/side-drawer';
import { Loaded, NothingYet } from '../../../parts/states';
import { Status } from '../../../parts/status';
import { podTone } from '../pod-status';
import { nameOfCluster } from '../tab';
import { PodHistory } from './pod-history';
import styles from '../workloads.module.css';

const podQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['Pods', 'one', id],
    queryFn: async ({ signal }) => (await read(api.GET('/v1/pods', { params: { query: { id } }, signal })))[0] ?? null,
    enabled: id !== undefined,
    refetchInterval: refreshEvery(),
  });

interface PodDrawerProps {
  readonly id: string | undefined;
  readonly close: () => void;
  readonly clusters: readonly Cluster[];
}

export function PodDrawer({ id, close, clusters }: PodDrawerProps) {
  const pod = useQuery(podQuery(id));
  return (
    <SideDrawer title={pod.data?.name ?? 'Pod'} isOpen={id !== undefined} close={close}>
      <Loaded query={pod}>
        {(data) =>
          data === null ? (
            <NothingYet title="This pod is not listed any more">
              It was deleted, or its cluster has been silent for 5 minutes.
            </NothingYet>
          ) : (
            <>
              <div className={styles.drawerHead}>
                <Status tone={podTone(data)}>{data.reason ?? data.status}</Status>
                <CheckpointAction target={{ kind: 'kubernetes', podId: data.id, name: data.name }} />
              </div>
              <Facts
                of={[
                  ['Namespace', data.namespace],
                  ['Cluster', nameOfCluster(clusters, data.cluster_id)],
                  ['Node', data.node],
                  ['Ready containers', data.ready],
                  ['Restarts', data.restarts],
                  ['Age', data.age],
                  [
                    'Policies',
                    data.monitored_by_policies.length > 0 && (
                      <Policies key="policies" of={data.monitored_by_policies} />
                    ),
                  ],
                ]}
              />
              <PodHistory name={data.name} namespace={data.namespace} clusterId={data.cluster_id} />
            </>
          )
        }
      </Loaded>
    </SideDrawer>
  );
}

/** Their ids are long: the end tells them apart. */
const Policies = ({ of }: { of: readonly string[] }) =>
  of.map((id, place) => (
    <Fragment key={id}>
      {place > 0 && ', '}
      <Link to="/policies" search={{ open: id }}>
        {id.slice(-8)}
      </Link>
    </Fragment>
  ));
