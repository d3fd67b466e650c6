import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, read, readWithHeader, type Schemas } from '../../api/client';
import { refreshEvery } from '../../api/live';
import type { PluginsSearch } from './plugins-search';

export type Plugin = Schemas['PluginView'];
export type PluginFile = Schemas['PluginFileView'];
export type UploadBody = Schemas['UploadPluginBody'];
export type UploadUrls = Schemas['UploadUrlsView'];

/** First word of the query keys. */
export const PLUGINS = 'plugins';

/** The most that the service sends at once. */
export const MOST = 1_000;

/** Plugins, and the names of those that were left out. */
export interface Shelf {
  readonly plugins: readonly Plugin[];
  /** Without a version that matches. */
  readonly unavailable: readonly string[];
}

const namesOf = (header: string | null): readonly string[] => header?.split(',').filter((name) => name !== '') ?? [];

async function shelfOf(query: object, signal: AbortSignal): Promise<Shelf> {
  const request = api.GET('/v1/plugins', { params: { query: { ...query, limit: MOST } }, signal });
  const { data, header } = await readWithHeader(request, 'x-plugins-unavailable');
  return { plugins: data, unavailable: namesOf(header) };
}

export const pluginsQuery = ({ names, compatibility, arch, build }: PluginsSearch) =>
  queryOptions({
    queryKey: [PLUGINS, 'list', names, compatibility, arch, build],
    queryFn: ({ signal }) => shelfOf({ names, compatibility, arch, build }, signal),
    refetchInterval: refreshEvery(),
    placeholderData: keepPreviousData,
  });

/** Files that have an address of their own, by the names under which they are published. */
export const INSTALLERS = ['main', 'install', 'install-slurm'] as const;

export const installersQuery = ({ arch, build }: PluginsSearch) =>
  queryOptions({
    queryKey: [PLUGINS, 'installers', arch, build],
    queryFn: ({ signal }) => shelfOf({ names: INSTALLERS.join(','), arch, build }, signal),
    refetchInterval: refreshEvery(),
  });

export const announceUpload = (name: string, body: UploadBody): Promise<UploadUrls> =>
  read(api.POST('/v1/plugins/upload/{name}', { params: { path: { name } }, body }));

const SERVED_MS = 1_000;

/** Until the service has verified the bytes of a version, it is not in the list. */
export const servedQuery = (name: string, version: string, { arch, build }: { arch: string; build: string }) =>
  queryOptions({
    queryKey: [PLUGINS, 'served', name, version, arch, build],
    queryFn: ({ signal }) => shelfOf({ names: `${name}@${version}`, arch, build }, signal),
    refetchInterval: ({ state }) => (state.data !== undefined && state.data.plugins.length > 0 ? false : SERVED_MS),
  });
