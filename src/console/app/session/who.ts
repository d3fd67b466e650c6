import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, read, type Schemas } from '../api/client';
import { queryClient } from '../api/query-client';
import { ROLES_OF } from '../api/roles';
import { WHO } from './session';

export type Who = Schemas['UserView'];

/** The service answers programs that do not ask for JSON with a text. */
const readWho = (options: { signal: AbortSignal; headers?: { authorization: string } }): Promise<Who> =>
  read(api.GET('/v1/user', options)) as Promise<Who>;

export const whoQuery = queryOptions({
  queryKey: WHO,
  queryFn: ({ signal }) => readWho({ signal }),
  staleTime: Infinity,
});

/** Who another token than that of the session belongs to. */
export const whoOfQuery = (token: string) =>
  queryOptions({
    queryKey: ['who-of', token],
    queryFn: ({ signal }) => readWho({ signal, headers: { authorization: `Bearer ${token}` } }),
    // Also while nobody is signed in.
    networkMode: 'always',
    gcTime: 0,
  });

/**
 * By the name, as in the audit trail: a new access token has an id of its own. A JWT has that of its subject.
 * Tokens of several people may have one name, so nobody goes on with what another role or scope may see.
 */
const isSameUser = (one: Who, other: Who): boolean =>
  one.organisation_id === other.organisation_id &&
  one.name === other.name &&
  one.role === other.role &&
  one.scope === other.scope;

/** Whether a user may go on with what is open. */
export function ownsWhatIsOpen(who: Who): boolean {
  const before = queryClient.getQueryData(whoQuery.queryKey);
  return before !== undefined && isSameUser(who, before);
}

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
