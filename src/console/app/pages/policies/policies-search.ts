import { oneOf, searchOf, someText, someUuid } from '../../parts/search';
import { someWeek } from './calendar/weeks';
import { RESOURCES, STATUSES } from './policy-words';

export const policiesSearch = searchOf((raw) => ({
  tab: oneOf(['automatic'])(raw.tab),
  /** The Monday of the shown week, `2026-11-23`; without it, the present week. */
  week: someWeek(raw.week),
  /** The hour whose beats are listed, as milliseconds since the Unix epoch. */
  hour: someTime(raw.hour),
  show: oneOf(['table'])(raw.show),
  status: oneOf(STATUSES)(raw.status),
  resource: oneOf(RESOURCES)(raw.resource),
  name: someText(raw.name),
  /** The policy whose drawer is open. */
  open: someUuid(raw.open),
  /** What the drawer shows. */
  part: oneOf(['matches'])(raw.part),
}));

export type PoliciesSearch = ReturnType<typeof policiesSearch>;

function someTime(value: unknown): number | undefined {
  const time = Number(value);
  return Number.isSafeInteger(time) && time > 0 ? time : undefined;
}
