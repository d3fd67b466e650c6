import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { clustersQuery, type Cluster } from '../../api/clusters';
import { Page } from '../../parts/page';
import { JobsTab } from './kubernetes/jobs-tab';
import { PodDrawer } from './kubernetes/pod-drawer';
import { PodsTab } from './kubernetes/pods-tab';
import { SlurmJobDrawer } from './slurm/slurm-job-drawer';
import { SlurmTab } from './slurm/slurm-tab';
import { TABS, type Tab, type WorkloadsSearch } from './workloads-search';
import styles from './workloads.module.css';

const route = getRouteApi('/workloads');

const NO_CLUSTERS: readonly Cluster[] = [];

const LABELS: Readonly<Record<Tab, string>> = { pods: 'Pods', jobs: 'Jobs', slurm: 'Slurm jobs' };

export function WorkloadsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const clusters = useQuery(clustersQuery).data ?? NO_CLUSTERS;
  const tab = search.tab ?? 'pods';
  const change = (part: Partial<WorkloadsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const choose = (chosen: string | null) =>
    void navigate({ search: { tab: TABS.find((one) => one === chosen), cluster: search.cluster } as WorkloadsSearch });
  const open = useCallback(
    (row: string) => void navigate({ search: (before) => ({ ...before, open: row }), resetScroll: false }),
    [navigate],
  );
  const shared = { search, change, open, clusters };
  const close = () => change({ open: undefined });
  return (
    <Page title="Workloads">
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List className={styles.tabs}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {LABELS[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="pods">
          <PodsTab {...shared} />
        </Tabs.Panel>
        <Tabs.Panel value="jobs">
          <JobsTab {...shared} />
        </Tabs.Panel>
        <Tabs.Panel value="slurm">
          <SlurmTab {...shared} />
        </Tabs.Panel>
      </Tabs>
      {tab === 'pods' && <PodDrawer id={search.open} close={close} clusters={clusters} />}
      {tab === 'slurm' && <SlurmJobDrawer id={search.open} close={close} clusters={clusters} />}
    </Page>
  );
}
