import { oneOf, searchOf, someText, someUuid, someWindow } from '../../parts/search';

export const TABS = ['fleet', 'load', 'ended', 'maintenance', 'checkpoints'] as const;
export type SlurmTabName = (typeof TABS)[number];

/** What the colours of the map stand for. */
export const MEASURES = ['state', 'load', 'cpus', 'memory'] as const;
export type Measure = (typeof MEASURES)[number];

export const slurmSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  cluster: someUuid(raw.cluster),
  partition: someText(raw.partition),
  /** A state of nodes, of ended jobs, of windows or of checkpoints, whatever the tab lists. */
  status: someText(raw.status),
  name: someText(raw.name),
  window: someWindow(raw.window),
  by: oneOf(MEASURES)(raw.by),
  /** Past maintenance windows too. */
  when: oneOf(['all'])(raw.when),
  show: oneOf(['table'])(raw.show),
}));

export type SlurmSearch = ReturnType<typeof slurmSearch>;

/** What each tab gets. */
export interface TabProps {
  readonly search: SlurmSearch;
  readonly change: (part: Partial<SlurmSearch>) => void;
}

export const NO_FILTERS = { cluster: undefined, partition: undefined, status: undefined, name: undefined } as const;

export const isFiltered = ({ cluster, partition, status, name }: SlurmSearch): boolean =>
  [cluster, partition, status, name].some((value) => value !== undefined);
