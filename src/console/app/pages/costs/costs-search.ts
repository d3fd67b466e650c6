import { oneOf, searchOf, someWindow } from '../../parts/search';

export const costsSearch = searchOf((raw) => ({
  window: someWindow(raw.window),
  /** Without it, idle time counts: it is paid for. */
  idle: oneOf(['without'])(raw.idle),
  /** Without it, by profile. */
  by: oneOf(['day'])(raw.by),
  show: oneOf(['table'])(raw.show),
}));

export type CostsSearch = ReturnType<typeof costsSearch>;
