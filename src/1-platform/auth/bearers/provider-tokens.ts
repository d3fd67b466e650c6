import { errors, jwtVerify, type JWTPayload } from 'jose';
import { isUuid } from '../../common/ids';
import { unstorable } from '../../common/json/json';
import { Problem } from '../../common/answers/problem';
import type { JwtSettings } from '../../config/environment';
import { ROLES, type Role } from '../../endpoints/access';
import type { Caller } from '../caller';
import type { WorkPlace } from '../../common/work/request';
import { keysUnavailable, ProviderKeys } from './provider-keys';

/** Maximum length of a subject: it names the caller in every audit entry. */
const MAX_SUBJECT = 255;

/** Faults of the key set itself, for which the token is not to blame. */
const PROVIDER_FAULTS = ['ERR_JOSE_GENERIC', errors.JWKSInvalid.code];

/** Reads the JWTs of an identity provider: signature, issuer, audience and expiry are checked. */
export class ProviderTokens {
  private readonly keys: ProviderKeys;

  constructor(private readonly settings: JwtSettings) {
    this.keys = new ProviderKeys(new URL(settings.jwksUrl));
  }

  /**
   * @param place of the request, which leaves it while it waits for the provider
   * @returns undefined for anything but a valid token of the provider; whether its organisation exists is not
   * checked
   */
  async callerOf(token: string, place: WorkPlace | undefined): Promise<Caller | undefined> {
    const { issuer, audience } = this.settings;
    try {
      // Asymmetric algorithms only: a public key must never be used as a shared secret.
      const { payload } = await jwtVerify(token, (header, jws) => this.keys.find(header, jws, place), {
        issuer,
        audience,
        algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
        requiredClaims: ['exp', 'sub'],
      });
      return callerOf(payload, this.settings);
    } catch (error) {
      if (error instanceof Problem) throw error;
      // A bad token is the caller's fault; an unreachable provider is not.
      if (!(error instanceof errors.JOSEError) || PROVIDER_FAULTS.includes(error.code)) throw keysUnavailable(error);
      return undefined;
    }
  }
}

/**
 * Always of organisation scope: a claim of the identity provider names one organisation, and a mistake there
 * must not affect the others. Callers who need more use an access token.
 */
function callerOf(payload: JWTPayload, { issuer, organisationClaim, roleClaim }: JwtSettings): Caller | undefined {
  const orgId = payload[organisationClaim];
  const role = payload[roleClaim];
  const { sub } = payload;
  if (!isUuid(orgId) || !(ROLES as readonly unknown[]).includes(role)) return undefined;
  if (!sub || sub.length > MAX_SUBJECT || unstorable(sub)) return undefined;
  return { orgId: orgId.toLowerCase(), actorId: sub, role: role as Role, scope: 'organisation', issuer };
}
