import { oneOf, searchOf, someText } from '../../parts/search';

export const STATUSES = ['running', 'completed', 'cancelled'] as const;

export const experimentsSearch = searchOf((raw) => ({
  status: oneOf(STATUSES)(raw.status),
  profile: someText(raw.profile),
  name: someText(raw.name),
}));

export type ExperimentsSearch = ReturnType<typeof experimentsSearch>;
