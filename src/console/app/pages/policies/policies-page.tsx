import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Page } from '../../parts/page';
import { useNumbered, type NumberedPage } from '../../parts/table/row-source';
import { AutomaticTab } from './automatic-tab';
import { WeekPicture } from './calendar/week-picture';
import { CreatePolicy } from './form/create-policy';
import { loadPolicies } from './policies-queries';
import type { PoliciesSearch } from './policies-search';
import type { Policy } from './policy-words';
import { PoliciesTable } from './policy/policies-table';
import { PolicyDrawer } from './policy/policy-drawer';
import styles from './policies.module.css';

const route = getRouteApi('/policies');

export function PoliciesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = useCallback(
    (part: Partial<PoliciesSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  const visit = useCallback(
    (part: Partial<PoliciesSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...part }), resetScroll: false }),
    [navigate],
  );
  const open = useCallback((policy: string) => visit({ open: policy }), [visit]);
  const choose = (chosen: string | null) =>
    void navigate({ search: (chosen === 'automatic' ? { tab: 'automatic' } : {}) as PoliciesSearch });
  return (
    <Page title="Policies" actions={<CreatePolicy open={open} />}>
      <Tabs value={search.tab ?? 'policies'} onChange={choose} keepMounted={false}>
        <Tabs.List className={styles.tabs}>
          <Tabs.Tab value="policies">Policies</Tabs.Tab>
          <Tabs.Tab value="automatic">Automatic restores</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="policies">
          <WeekPicture search={search} change={change} open={open} goTo={(week) => visit({ week, hour: undefined })} />
          <Listed search={search} change={change} open={open} />
        </Tabs.Panel>
        <Tabs.Panel value="automatic">
          <AutomaticTab search={search} change={change} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

interface ListedProps {
  readonly search: PoliciesSearch;
  readonly change: (part: Partial<PoliciesSearch>) => void;
  readonly open: (policy: string) => void;
}

/** The table, and the drawer of one of its rows. */
function Listed({ search, change, open }: ListedProps) {
  const { status, resource, name } = search;
  const source = useNumbered<Policy, NumberedPage<Policy>>(
    ['policies', 'list', status, resource, name],
    loadPolicies(search),
  );
  return (
    <>
      <PoliciesTable source={source} search={search} change={change} open={open} />
      <PolicyDrawer
        id={search.open}
        listed={source.page?.rows.find(({ id }) => id === search.open)}
        isListLoading={source.page === undefined && !source.error}
        part={search.part}
        change={change}
      />
    </>
  );
}
