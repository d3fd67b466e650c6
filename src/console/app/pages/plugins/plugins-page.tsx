import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Page } from '../../parts/page';
import { Installers } from './installers';
import { PluginFiles } from './plugin-files';
import { PluginList } from './plugin-list';
import { installersQuery, pluginsQuery } from './plugins-queries';
import type { PluginsSearch } from './plugins-search';

/** Its form is read with the page, not before it. */
const UploadPlugin = lazy(() => import('./upload-plugin').then(({ UploadPlugin: Upload }) => ({ default: Upload })));

const route = getRouteApi('/plugins');

export function PluginsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Partial<PluginsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const open = (name: string) => void navigate({ search: (before) => ({ ...before, open: name }), resetScroll: false });
  const shelf = useQuery(pluginsQuery(search));
  const installers = useQuery(installersQuery(search));
  const opened = shelf.data?.plugins.find(({ name }) => name === search.open);
  return (
    <Page
      title="Plugins"
      actions={
        <Suspense>
          <UploadPlugin />
        </Suspense>
      }
    >
      <PluginList shelf={shelf} search={search} change={change} open={open} />
      <Installers installers={installers} search={search} />
      <PluginFiles plugin={opened} search={search} close={() => change({ open: undefined })} />
    </Page>
  );
}
