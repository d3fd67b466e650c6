import { oneOf, searchOf, someText } from '../../parts/search';

export const TABS = ['instances', 'types', 'prices'] as const;
export type InstancesTabName = (typeof TABS)[number];

const MOST_GPUS = 1_000;

/** A number of GPUs, as its digits. */
const someGpus = (value: unknown): string | undefined => {
  const text = someText(value);
  return text !== undefined && /^\d{1,4}$/.test(text) && Number(text) <= MOST_GPUS ? text : undefined;
};

export const instancesSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  name: someText(raw.name),
  gpus: someGpus(raw.gpus),
  gpu: someText(raw.gpu),
  /** Without it, the cheapest come first. */
  order: oneOf(['dearest'])(raw.order),
}));

export type InstancesSearch = ReturnType<typeof instancesSearch>;

/** What each tab gets. */
export interface TabProps {
  readonly search: InstancesSearch;
  readonly change: (part: Partial<InstancesSearch>) => void;
  /** Why nothing can be requested; undefined: it can. */
  readonly unusable: string | undefined;
}
