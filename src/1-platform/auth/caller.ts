import type { CallerRole, Scope } from '../endpoints/access';

/** The identity behind a bearer. */
export interface Caller {
  readonly orgId: string;
  /** Id of the access token or inference key, or the subject of a JWT. */
  readonly actorId: string;
  readonly role: CallerRole;
  /** `platform` for some admins only. */
  readonly scope: Scope;
  /** For a JWT: the issuer that vouches for `actorId`. */
  readonly issuer?: string;
  /** For an inference key. */
  readonly key?: InferenceKeyCaller;
}

/** The models of an inference key. The database checks its budget and its rate with each request. */
export interface InferenceKeyCaller {
  readonly keyId: string;
  /** Logical models; empty: all. */
  readonly models: readonly string[];
}
