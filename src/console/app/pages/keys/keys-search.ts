import { oneOf, searchOf, someText } from '../../parts/search';

export const TABS = ['keys', 'tokens'] as const;
export type KeysTab = (typeof TABS)[number];

/** Of access tokens, as the service has them. */
export const TOKEN_STATUSES = ['active', 'expired', 'revoked'] as const;

export const keysSearch = searchOf((raw) => ({
  tab: oneOf(TABS)(raw.tab),
  state: oneOf(['active', 'revoked'])(raw.state),
  order: oneOf(['newest'])(raw.order),
  status: oneOf(TOKEN_STATUSES)(raw.status),
  name: someText(raw.name),
}));

export type KeysSearch = ReturnType<typeof keysSearch>;
