import type { Schemas } from '../api/service';
import { age, bytes, dollars, text } from '../output/figures';
import { state } from '../output/tones';
import { match } from './filters';
import { factsOf, kind, type Column } from './kind';

const CENTS = 100;

const INSTANCE_COLUMNS: readonly Column<Schemas['InstanceView']>[] = [
  { head: 'NAME', cell: ({ name }) => text(name) },
  { head: 'STATUS', cell: ({ status }) => state(status) },
  { head: 'TYPE', cell: ({ instance_type }) => text(instance_type) },
  { head: 'REGION', cell: ({ region }) => text(region) },
  { head: 'PER HOUR', cell: ({ hourly_price }) => dollars(hourly_price === null ? null : hourly_price / CENTS) },
  { head: 'COST', cell: ({ cost_estimate }) => text(cost_estimate) },
  { head: 'AGE', cell: ({ created_at }, now) => age(created_at, now), passing: true },
  { head: 'REASON', cell: ({ reason }) => text(reason), wide: true },
  { head: 'ID', cell: ({ id }) => id, wide: true },
];

const instances = kind({
  name: 'instance',
  plural: 'instances',
  about: 'rented cloud GPU instances, newest first',
  operation: 'list_instances',
  path: '/v1/instances',
  filters: [match('name')],
  byName: 'name',
  columns: INSTANCE_COLUMNS,
  id: ({ id }) => id,
  label: ({ name }) => name,
  details: async (service, row, now) => {
    const path = { instance_id: row.id };
    const status = await service.find('get_instance_status', (api) =>
      api.GET('/v1/instances/{instance_id}/status', { params: { path } }),
    );
    return {
      facts: [
        ...factsOf(INSTANCE_COLUMNS, row, now),
        ['address', text(status?.ip_address)],
        ['ssh', status?.ssh_user ? `${status.ssh_user}@${text(status.ip_address)}:${text(status.ssh_port)}` : '-'],
        ['runs since', age(row.active_at, now)],
      ],
      document: { instance: row, status: status ?? null },
    };
  },
});

const plugins = kind({
  name: 'plugin',
  plural: 'plugins',
  about: 'plugins that nodes install',
  operation: 'list_plugins',
  path: '/v1/plugins',
  filters: [
    { flags: '--names <names>', parameter: 'names', about: 'these, separated by commas; each may be name@version' },
    { flags: '--arch <architecture>', parameter: 'arch', about: 'for this architecture; default: amd64' },
    {
      flags: '--build <type>',
      parameter: 'build',
      about: 'of this type; default: release',
      choices: ['alpha', 'release'],
    },
    { flags: '--for <version>', parameter: 'compatibility', about: 'that a daemon of this version can use' },
  ],
  columns: [
    { head: 'NAME', cell: ({ name }) => name },
    { head: 'VERSION', cell: ({ version }) => version },
    { head: 'LATEST', cell: ({ latest_version }) => latest_version },
    { head: 'STATUS', cell: ({ status }) => state(status) },
    { head: 'TYPE', cell: ({ type }) => type },
    { head: 'SIZE', cell: ({ size }) => bytes(size) },
    { head: 'PUBLISHED', cell: ({ published_at }, now) => age(published_at, now), passing: true },
  ],
  id: ({ name }) => name,
  key: ({ name, version }) => `${name}@${version}`,
});

export const CLOUD = [instances, plugins];
