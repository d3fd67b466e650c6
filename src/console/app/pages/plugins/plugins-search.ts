import { oneOf, searchOf, someText } from '../../parts/search';

export const BUILDS = ['release', 'alpha'] as const;

export const pluginsSearch = searchOf((raw) => ({
  /** Names, separated by commas. */
  names: someText(raw.names),
  /** Version of a daemon. */
  compatibility: someText(raw.compatibility),
  arch: someText(raw.arch),
  build: oneOf(BUILDS)(raw.build),
  /** The plugin whose files are shown. */
  open: someText(raw.open),
}));

export type PluginsSearch = ReturnType<typeof pluginsSearch>;
