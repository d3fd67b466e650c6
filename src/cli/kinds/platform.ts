import { age, text } from '../output/figures';
import { state } from '../output/tones';
import { match, STATUS } from './filters';
import { kind } from './kind';

const tokens = kind({
  name: 'token',
  plural: 'tokens',
  about: 'access tokens without their secrets, newest first (admins only)',
  operation: 'list_tokens',
  path: '/v1/tokens',
  filters: [match('name'), { ...STATUS, choices: ['active', 'expired', 'revoked'] }],
  byName: 'name',
  columns: [
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'ROLE', cell: ({ role }) => role },
    { head: 'STATUS', cell: ({ status }) => state(status) },
    { head: 'LAST USED', cell: ({ last_used_at }, now) => age(last_used_at, now), passing: true },
    { head: 'EXPIRES', cell: ({ expires_at }) => text(expires_at) },
    { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
    { head: 'SCOPE', cell: ({ scope }) => scope, wide: true },
    { head: 'ORGANISATION', cell: ({ organisation_name }) => text(organisation_name), wide: true },
    { head: 'ID', cell: ({ token_id }) => token_id, wide: true },
  ],
  id: ({ token_id }) => token_id,
  label: ({ name }) => name,
});

const organisations = kind({
  name: 'organisation',
  plural: 'organisations',
  aliases: ['org', 'orgs'],
  about: 'organisations (admins only)',
  operation: 'list_organisations',
  path: '/v1/organisations',
  columns: [
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
    { head: 'ID', cell: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
});

const audit = kind({
  name: 'audit-entry',
  plural: 'audit-entries',
  aliases: ['audit'],
  about: 'who changed what, newest first (admins and operators only)',
  operation: 'list_audit_entries',
  path: '/v1/audit',
  filters: [
    { flags: '--since <time>', parameter: 'since', about: 'then or later: 2h, 3d or a time', reads: 'time' },
    { flags: '--actor <id>', parameter: 'actor', about: 'by this caller' },
    { flags: '--resource <text>', parameter: 'resource', about: 'kind or id of what was changed' },
  ],
  columns: [
    { head: 'AGO', cell: ({ occurred_at }, now) => age(occurred_at, now), passing: true },
    { head: 'OPERATION', cell: ({ action }) => action },
    { head: 'RESOURCE', cell: ({ resource_type }) => resource_type },
    { head: 'RESOURCE ID', cell: ({ resource_id }) => text(resource_id) },
    { head: 'ROLE', cell: ({ actor_role }) => actor_role },
    { head: 'ACTOR', cell: ({ actor_id }) => actor_id },
    { head: 'REQUEST', cell: ({ request_id }) => request_id, wide: true },
    { head: 'ID', cell: ({ id }) => id, wide: true },
  ],
  id: ({ id }) => id,
});

const consumers = kind({
  name: 'consumer',
  plural: 'consumers',
  about: 'controllers that read the outbox, and how far they lag',
  operation: 'list_outbox_consumers',
  path: '/v1/inference/outbox/consumers',
  columns: [
    { head: 'CONSUMER', cell: ({ consumer_id }) => consumer_id },
    { head: 'LAG', cell: ({ lag_events }) => String(lag_events) },
    { head: 'ACKNOWLEDGED', cell: ({ acknowledged_event_id }) => text(acknowledged_event_id) },
    { head: 'LAST SEEN', cell: ({ last_seen_at }, now) => age(last_seen_at, now), passing: true },
  ],
  id: ({ consumer_id }) => consumer_id,
});

export const PLATFORM = [tokens, organisations, audit, consumers];
