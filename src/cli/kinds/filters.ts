import type { Filter } from './kind';

/** Filters that several kinds have. */
export const CLUSTER = {
  flags: '-c, --cluster <name>',
  parameter: 'cluster_id',
  about: 'of this cluster: its name, or its id',
  reads: 'cluster',
} as const satisfies Filter;

export const NAMESPACE = {
  flags: '-n, --namespace <namespace>',
  parameter: 'namespace',
  about: 'in this namespace',
} as const satisfies Filter;

export const STATUS = { flags: '--status <status>', parameter: 'status', about: 'in this state' } as const;

export const PROFILE = { flags: '--profile <id>', parameter: 'profile_id', about: 'of this profile' } as const;

/** @param parameter whose value is a part of the name */
export const match = <P extends string>(parameter: P): Filter<P> => ({
  flags: '--match <text>',
  parameter,
  about: 'with this in the name; case does not matter',
});
