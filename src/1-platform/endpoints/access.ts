export const ROLES = ['admin', 'operator', 'viewer', 'controller'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Of whoever calls: an inference key has no role of the organisation, and may do nothing but ask for models.
 */
export type CallerRole = Role | 'key';

/**
 * How far an admin's word reaches: its own organisation, or
 * every one. Every other role is of its organisation.
 */
export const SCOPES = ['organisation', 'platform'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Who may call an operation. Every operation declares one; `admin` may do all.
 *
 * - `public`: no bearer
 * - `installers`: no bearer either, because they hold none yet; with `PLUGINS_PUBLIC=false` every role
 * - `platform`: what concerns every organisation, by admins of platform scope
 * - `admin`: organisations and tokens, by admins; the service limits them to what their scope covers
 * - `operate`: everything of the organisation, by its operators
 * - `machine`: what agents and plugins send, and operators may send too
 * - `control`: what only the controllers of clusters send
 * - `read`: every role
 * - `infer`: model traffic, which costs money: operators and inference keys
 * - `models`: what there is to ask for: every role, and inference keys
 * - `key`: inference keys alone
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

/** What an operation asks for, as the service is set up. */
export const accessHere = (access: Access, { pluginsPublic }: { pluginsPublic: boolean }): Access =>
  access === 'installers' ? (pluginsPublic ? 'public' : 'read') : access;

export const mayCall = (role: CallerRole, access: Access): boolean =>
  (ACCESS[access] as readonly CallerRole[]).includes(role);

/** Why a caller may not call an operation; undefined where it may. */
export function refusal({ role, scope }: { role: CallerRole; scope: Scope }, access: Access): string | undefined {
  if (!mayCall(role, access)) return role === 'key' ? 'An inference key' : `The role ${role}`;
  if (access === 'platform' && scope !== 'platform') return `An admin of ${scope} scope`;
  return undefined;
}
