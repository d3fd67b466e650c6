import { oneOf, someText, someUuid, searchOf } from '../../parts/search';

export const TABS = ['pods', 'jobs', 'slurm'] as const;
export type Tab = (typeof TABS)[number];

export const workloadsSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  name: someText(raw.name),
  namespace: someText(raw.namespace),
  status: someText(raw.status),
  cluster: someUuid(raw.cluster),
  sort: someText(raw.sort),
  order: oneOf(['asc', 'desc'])(raw.order),
  /** The workload whose drawer is open. */
  open: someText(raw.open),
}));

export type WorkloadsSearch = ReturnType<typeof workloadsSearch>;
