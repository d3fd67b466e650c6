import { oneOf, searchOf } from '../../parts/search';

export const TABS = ['keys', 'tokens'] as const;
export type KeysTab = (typeof TABS)[number];

export const keysSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  state: oneOf(['active', 'revoked'])(raw.state),
  order: oneOf(['newest'])(raw.order),
}));

export type KeysSearch = ReturnType<typeof keysSearch>;
