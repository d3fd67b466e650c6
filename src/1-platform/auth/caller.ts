import type { CallerRole, Scope } from '../endpoints/access';

/** Who a bearer stands for. */
export interface Caller {
  readonly orgId: string;
  /** Id of the access token or inference key, or the subject of a JWT. */
  readonly actorId: string;
  readonly role: CallerRole;
  /** `platform` for some admins only. */
  readonly scope: Scope;
  /** Where the bearer is a JWT: who vouches for `actorId`. */
  readonly issuer?: string;
  /** Where the bearer is an inference key. */
  readonly key?: InferenceKeyCaller;
}

/** What an inference key may ask for; its budget and its rate are the database's word, request by request. */
export interface InferenceKeyCaller {
  readonly keyId: string;
  /** Logical models; empty: all. */
  readonly models: readonly string[];
}
