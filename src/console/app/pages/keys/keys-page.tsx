import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Page } from '../../parts/page';
import { KeysTab } from './keys-tab';
import { TABS, type KeysSearch, type KeysTab as Tab } from './keys-search';
import { TokensTab } from './tokens-tab';
import styles from './keys.module.css';

const route = getRouteApi('/keys');

const LABELS: Readonly<Record<Tab, string>> = { keys: 'Inference keys', tokens: 'Access tokens' };

export function KeysPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<KeysSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const choose = (chosen: string | null) =>
    void navigate({ search: { tab: TABS.find((one) => one === chosen) } as KeysSearch });
  return (
    <Page title="Keys and tokens">
      <Tabs value={search.tab ?? 'keys'} onChange={choose} keepMounted={false}>
        <Tabs.List className={styles.tabs}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {LABELS[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="keys">
          <KeysTab search={search} change={change} />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <TokensTab search={search} change={change} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
