import { oneOf, searchOf, someText } from '../../parts/search';

export const TABS = ['result', 'starts', 'linked'] as const;
export type Tab = (typeof TABS)[number];

export const experimentSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  /** Whose starts are drawn, of an experiment without a profile of its own. */
  profile: someText(raw.profile),
  show: oneOf(['table'])(raw.show),
}));

export type ExperimentSearch = ReturnType<typeof experimentSearch>;
export type Change = (part: Partial<ExperimentSearch>) => void;
