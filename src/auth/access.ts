export const ROLES = ['admin', 'operator', 'viewer', 'controller'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Who may call an operation. Every operation declares one; `admin` may do all.
 *
 * - `public`: no bearer
 * - `admin`: organisations and tokens
 * - `operate`: everything of the organisation, by its operators
 * - `machine`: what agents and plugins send, and operators may send too
 * - `control`: what only the controllers of clusters send
 * - `read`: every role
 */
export const ACCESS = {
  public: [],
  admin: ['admin'],
  operate: ['admin', 'operator'],
  machine: ['admin', 'operator', 'controller'],
  control: ['admin', 'controller'],
  read: ['admin', 'operator', 'viewer', 'controller'],
} as const satisfies Record<string, readonly Role[]>;

export type Access = keyof typeof ACCESS;

export const mayCall = (role: Role, access: Access): boolean => (ACCESS[access] as readonly Role[]).includes(role);
