export const ROLES = ['admin', 'operator', 'viewer', 'controller'] as const;
export type Role = (typeof ROLES)[number];

/** The kind of caller: an inference key has no role of the organisation, and may only request models. */
export type CallerRole = Role | 'key';

/**
 * What an admin may manage: its own organisation, or every one. All other roles belong to their organisation.
 */
export const SCOPES = ['organisation', 'platform'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Who may call an operation. Every operation declares one; `admin` may do all.
 *
 * - `public`: no bearer
 * - `installers`: no bearer either, because they have none yet; with `PLUGINS_PUBLIC=false` every role
 * - `platform`: matters of all organisations, for admins of platform scope
 * - `admin`: organisations and tokens, for admins; the service limits them to their scope
 * - `operate`: everything of the organisation, for its operators
 * - `machine`: reports of agents and plugins, which operators may send too
 * - `control`: reports of controllers of clusters only
 * - `read`: every role
 * - `infer`: model traffic, which costs money: operators and inference keys
 * - `models`: the list of models: every role, and inference keys
 * - `key`: inference keys only
 */
export const ACCESS = {
  public: [],
  installers: [],
  platform: ['admin'],
  admin: ['admin'],
  operate: ['admin', 'operator'],
  machine: ['admin', 'operator', 'controller'],
  control: ['admin', 'controller'],
  read: ['admin', 'operator', 'viewer', 'controller'],
  infer: ['admin', 'operator', 'key'],
  models: ['admin', 'operator', 'viewer', 'controller', 'key'],
  key: ['key'],
} as const satisfies Record<string, readonly CallerRole[]>;

export type Access = keyof typeof ACCESS;

/** The access that an operation requires under the current settings. */
export const accessHere = (access: Access, { pluginsPublic }: { pluginsPublic: boolean }): Access =>
  access === 'installers' ? (pluginsPublic ? 'public' : 'read') : access;

export const mayCall = (role: CallerRole, access: Access): boolean =>
  (ACCESS[access] as readonly CallerRole[]).includes(role);

/** Why a caller may not call an operation; undefined if it may. */
export function refusal({ role, scope }: { role: CallerRole; scope: Scope }, access: Access): string | undefined {
  if (!mayCall(role, access)) return role === 'key' ? 'An inference key' : `The role ${role}`;
  if (access === 'platform' && scope !== 'platform') return `An admin of ${scope} scope`;
  return undefined;
}
