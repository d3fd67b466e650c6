import type { Schemas } from '../api/service';
import { age, dollars, NONE, text } from '../output/figures';
import { state } from '../output/tones';
import { match } from './filters';
import { factsOf, kind, type Column } from './kind';

const ROUTE_COLUMNS: readonly Column<Schemas['RouteView']>[] = [
  { head: 'MODEL', cell: ({ logical_model }) => logical_model },
  { head: 'MODE', cell: ({ mode }) => mode },
  { head: 'TARGETS', cell: ({ targets }) => targets.map(({ profile_id }) => profile_id).join(',') || NONE },
  { head: 'QUEUE TIMEOUT', cell: ({ queue_timeout_ms }) => `${queue_timeout_ms} ms` },
  { head: 'GENERATION', cell: ({ generation }) => String(generation), wide: true },
];

const routes = kind({
  name: 'route',
  plural: 'routes',
  about: 'logical models and the profiles that serve them',
  operation: 'list_routes',
  path: '/v1/inference/routes',
  filters: [match('name')],
  byName: 'name',
  columns: ROUTE_COLUMNS,
  id: ({ logical_model }) => logical_model,
  details: async (service, row, now) => {
    const path = { logical_model: row.logical_model };
    const route = await service.send('get_route_state', (api) =>
      api.GET('/v1/inference/routes/{logical_model}/state', { params: { path } }),
    );
    const { outlook } = route;
    return {
      facts: [
        ...factsOf(ROUTE_COLUMNS, row, now),
        ['a request now', outlook.decision],
        ['by', text(outlook.profile_id)],
        ['because', text(outlook.reason ?? outlook.source)],
        ['wakes', text(outlook.wakes)],
      ],
      sections: [
        {
          title: 'Targets, in the order in which they are tried',
          head: ['PROFILE', 'TIER', 'STATE', 'IN FLIGHT', 'CAPACITY', 'WAITING', 'WORKERS'],
          rows: route.targets.map((target) => [
            target.profile_id,
            text(target.tier),
            state(target.state),
            String(target.in_flight),
            String(target.capacity),
            String(target.waiting),
            String(target.ready_workers),
          ]),
        },
      ],
      document: { route: row, state: route },
    };
  },
});

const keys = kind({
  name: 'key',
  plural: 'keys',
  about: 'inference keys without their secrets, newest first',
  operation: 'list_inference_keys',
  path: '/v1/inference/keys',
  columns: [
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'STATUS', cell: ({ revoked_at }) => state(revoked_at === null ? 'active' : 'revoked') },
    { head: 'SPENT', cell: ({ spent_usd }) => dollars(spent_usd) },
    { head: 'BUDGET', cell: ({ budget_usd }) => dollars(budget_usd) },
    { head: 'RATE', cell: ({ rate_limit_rps }) => (rate_limit_rps === null ? NONE : `${rate_limit_rps}/s`) },
    { head: 'MODELS', cell: ({ models }) => models.join(',') || 'all' },
    { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
    { head: 'TENANT', cell: ({ tenant_id }) => text(tenant_id), wide: true },
    { head: 'RESERVED', cell: ({ reserved_usd }) => dollars(reserved_usd), wide: true },
    { head: 'ID', cell: ({ key_id }) => key_id, wide: true },
  ],
  id: ({ key_id }) => key_id,
  label: ({ name }) => name,
});

const fleets = kind({
  name: 'fleet',
  plural: 'fleets',
  about: 'fleets of profiles with their budgets',
  operation: 'list_fleets',
  path: '/v1/inference/fleets',
  columns: [
    { head: 'FLEET', cell: ({ fleet_id }) => fleet_id },
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'MODEL', cell: ({ logical_model }) => text(logical_model) },
    { head: 'PROFILES', cell: ({ profile_ids }) => profile_ids.join(',') || NONE },
    { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
  ],
  id: ({ fleet_id }) => fleet_id,
  label: ({ name }) => name,
});

const experiments = kind({
  name: 'experiment',
  plural: 'experiments',
  about: 'experiments, newest first',
  operation: 'list_experiments',
  path: '/v1/inference/experiments',
  filters: [
    match('name'),
    { flags: '--profile <id>', parameter: 'profile_id', about: 'on this profile' },
    {
      flags: '--status <status>',
      parameter: 'status',
      about: 'in this state',
      choices: ['running', 'completed', 'cancelled'],
    },
  ],
  byName: 'name',
  columns: [
    { head: 'NAME', cell: ({ name }) => text(name) },
    { head: 'STATUS', cell: ({ status }) => state(status) },
    { head: 'PROFILE', cell: ({ profile_id }) => text(profile_id) },
    { head: 'OBSERVATIONS', cell: ({ observations }) => String(observations) },
    { head: 'BEGAN', cell: ({ started_at }, now) => age(started_at, now), passing: true },
    { head: 'SCENARIO', cell: ({ scenario }) => text(scenario), wide: true },
    { head: 'ID', cell: ({ id }) => id, wide: true },
  ],
  id: ({ id }) => id,
  label: ({ name }) => name,
});

export const TRAFFIC = [routes, keys, fleets, experiments];
