import { oneOf, searchOf } from '../../parts/search';

export const profileSearch = searchOf((raw) => ({
  /** The starts as a table instead of the chart. */
  starts: oneOf(['table'])(raw.starts),
}));

export type ProfileSearch = ReturnType<typeof profileSearch>;
