import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Page } from '../../parts/page';
import { GpuTab } from './gpu/gpu-tab';
import { TABS, type MetricsSearch, type Tab } from './metrics-search';
import { NodesTab } from './nodes/nodes-tab';
import { PodsTab } from './pods/pods-tab';
import styles from './metrics.module.css';

const route = getRouteApi('/metrics');

const LABELS: Readonly<Record<Tab, string>> = { gpu: 'GPUs', pods: 'Pods', nodes: 'Nodes' };

export function MetricsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const tab = search.tab ?? 'gpu';
  const change = useCallback(
    (part: Partial<MetricsSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  // Another node is another picture, so Back returns to the one before.
  const openNode = useCallback(
    (node: string | undefined) =>
      void navigate({
        search: ({ window, measure, layer, show }) => ({ window, measure, layer, show, node }),
        resetScroll: false,
      }),
    [navigate],
  );
  const choose = (chosen: string | null) =>
    void navigate({ search: { tab: TABS.find((one) => one === chosen), window: search.window } });
  return (
    <Page title="Metrics">
      <Tabs value={tab} onChange={choose} keepMounted={false}>
        <Tabs.List className={styles.tabs}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {LABELS[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="gpu">
          <GpuTab search={search} change={change} openNode={openNode} />
        </Tabs.Panel>
        <Tabs.Panel value="pods">
          <PodsTab search={search} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="nodes">
          <NodesTab search={search} change={change} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
