import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Page, Section } from '../../parts/page';
import { Loaded, Loading, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { Sentence } from '../../parts/time/sentence';
import { InstancesTab } from './instances-tab';
import { burstingQuery, type Bursting } from './instances-queries';
import { TABS, type InstancesSearch, type InstancesTabName } from './instances-search';
import styles from './instances.module.css';

/** Each has forms, which are read with it only. */
const TypesTab = lazy(() => import('./types-tab').then(({ TypesTab: Tab }) => ({ default: Tab })));
const PricesTab = lazy(() => import('./prices-tab').then(({ PricesTab: Tab }) => ({ default: Tab })));

const route = getRouteApi('/instances');

const LABELS: Readonly<Record<InstancesTabName, string>> = {
  instances: 'Instances',
  types: 'Types to rent',
  prices: 'Prices of nodes',
};

export function InstancesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<InstancesSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const choose = (chosen: string | null) =>
    void navigate({ search: { tab: TABS.find((one) => one === chosen) } as InstancesSearch });
  const bursting = useQuery(burstingQuery);
  return (
    <Page title="Instances" beside={bursting.data && <BurstingStatus of={bursting.data} />}>
      <Tabs value={search.tab ?? 'instances'} onChange={choose} keepMounted={false}>
        <Tabs.List className={styles.tabs}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {LABELS[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Suspense fallback={<Loading lines={8} />}>
          <Tabs.Panel value="prices">
            <PricesTab />
          </Tabs.Panel>
          {(['instances', 'types'] as const).map((name) => (
            <Tabs.Panel key={name} value={name}>
              <Loaded query={bursting}>
                {(data) =>
                  data.status === 'not_configured' ? (
                    <Unconfigured />
                  ) : (
                    <>
                      {!data.can_use_bursting && (
                        <p className={styles.trouble}>
                          <Sentence text={data.message} />
                        </p>
                      )}
                      {name === 'types' ? (
                        <TypesTab {...{ search, change, unusable: unusableBecause(data) }} />
                      ) : (
                        <InstancesTab {...{ search, change, unusable: unusableBecause(data) }} />
                      )}
                    </>
                  )
                }
              </Loaded>
            </Tabs.Panel>
          ))}
        </Suspense>
      </Tabs>
    </Page>
  );
}

const unusableBecause = ({ can_use_bursting: isUsable, message }: Bursting): string | undefined =>
  isUsable ? undefined : message;

function BurstingStatus({
  of: { status, can_use_bursting: isUsable, failing_since: failingSince, message },
}: {
  of: Bursting;
}) {
  const [tone, word] =
    status === 'not_configured'
      ? (['quiet', 'No marketplace'] as const)
      : isUsable && failingSince !== undefined
        ? (['warn', 'The marketplace fails now'] as const)
        : isUsable
          ? (['good', 'Instances can be requested'] as const)
          : status === 'invalid'
            ? (['bad', 'The marketplace refuses the key'] as const)
            : (['busy', 'Not confirmed yet'] as const);
  return (
    <span className={styles.bursting}>
      <Status tone={tone}>{word}</Status>
      <span className={styles.quiet}>
        <Sentence text={message} />
      </span>
    </span>
  );
}

const HOW = 'MARKETPLACE_API_KEY=… npm start';

const Unconfigured = () => (
  <Section title="Instances">
    <NothingYet title="No marketplace is configured" command={HOW}>
      When the clusters are full, the service can rent machines from a marketplace of clouds (Shadeform’s API). Start
      every replica with a key of the marketplace in its environment. MARKETPLACE_API_URL names another marketplace with
      the same API.
    </NothingYet>
  </Section>
);
