import { searchOf, someText, someWindow } from '../../parts/search';

export const auditSearch = searchOf((raw) => ({
  window: someWindow(raw.window),
  actor: someText(raw.actor),
  /** Kind or id of the changed resource. */
  resource: someText(raw.resource),
}));

export type AuditSearch = ReturnType<typeof auditSearch>;
