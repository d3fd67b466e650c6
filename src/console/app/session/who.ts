import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import { ROLES_OF } from '../api/roles';

export type Who = Schemas['UserView'];

export const whoQuery = queryOptions({
  queryKey: ['who'],
  queryFn: ({ signal }) => read(api.GET('/v1/user', { signal })) as Promise<Who>,
  staleTime: Infinity,
});

export type GuardedOperation = keyof typeof ROLES_OF;

/** Whether the user may call an operation; if not, `reason` says why in a sentence. */
export interface Permission {
  readonly allowed: boolean;
  readonly reason: string | undefined;
}

const ALLOWED: Permission = { allowed: true, reason: undefined };

export function usePermission(operation: GuardedOperation): Permission {
  const { data } = useQuery(whoQuery);
  if (!data) return { allowed: false, reason: 'Your role is not known yet.' };
  const roles: readonly string[] = ROLES_OF[operation];
  if (roles.includes(data.role)) return ALLOWED;
  return { allowed: false, reason: `This needs the role ${roles.join(' or ')}. Your role is ${data.role}.` };
}
