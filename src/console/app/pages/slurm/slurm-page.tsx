import { Tabs } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Page } from '../../parts/page';
import { lazy, Suspense } from 'react';
import { Loading } from '../../parts/states';
import { FleetTab } from './fleet/fleet-tab';
import { TABS, type SlurmSearch, type SlurmTabName } from './slurm-search';
import styles from './slurm.module.css';

/** Each tab is a chunk of its own: the forms of one need more than all the others. */
const LoadTab = lazy(() => import('./load/load-tab').then(({ LoadTab: Tab }) => ({ default: Tab })));
const EndedTab = lazy(() => import('./ended-tab').then(({ EndedTab: Tab }) => ({ default: Tab })));
const WindowsTab = lazy(() => import('./windows/windows-tab').then(({ WindowsTab: Tab }) => ({ default: Tab })));
const CheckpointsTab = lazy(() => import('./checkpoints-tab').then(({ CheckpointsTab: Tab }) => ({ default: Tab })));

const route = getRouteApi('/slurm');

const LABELS: Readonly<Record<SlurmTabName, string>> = {
  fleet: 'Partitions and nodes',
  load: 'Load',
  ended: 'Ended jobs',
  maintenance: 'Maintenance',
  checkpoints: 'Checkpoints',
};

export function SlurmPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<SlurmSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  // The cluster stays: the other filters mean something else in each tab.
  const choose = (chosen: string | null) =>
    void navigate({ search: { tab: TABS.find((one) => one === chosen), cluster: search.cluster } as SlurmSearch });
  const tab = { search, change };
  return (
    <Page
      title="Slurm"
      actions={
        <span className={styles.links}>
          <Link to="/workloads" search={{ tab: 'slurm', cluster: search.cluster }}>
            Slurm jobs
          </Link>
          <Link to="/operations" search={{ workload: 'slurm', cluster: search.cluster }}>
            Operations of Slurm jobs
          </Link>
        </span>
      }
    >
      <Tabs value={search.tab ?? 'fleet'} onChange={choose} keepMounted={false}>
        <Tabs.List className={styles.tabs}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {LABELS[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Suspense fallback={<Loading lines={8} />}>
          <Tabs.Panel value="fleet">
            <FleetTab {...tab} />
          </Tabs.Panel>
          <Tabs.Panel value="load">
            <LoadTab {...tab} />
          </Tabs.Panel>
          <Tabs.Panel value="ended">
            <EndedTab {...tab} />
          </Tabs.Panel>
          <Tabs.Panel value="maintenance">
            <WindowsTab {...tab} />
          </Tabs.Panel>
          <Tabs.Panel value="checkpoints">
            <CheckpointsTab {...tab} />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Page>
  );
}
