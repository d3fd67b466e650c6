import { Inject, Injectable } from '@nestjs/common';
import { errors, jwtVerify, type JWTPayload } from 'jose';
import { isUuid } from '../../common/ids';
import { unstorable } from '../../common/json/json';
import { Problem } from '../../common/answers/problem';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment, JwtSettings } from '../../config/environment';
import { StatementPool } from '../../database/connections/statement-pool';
import { ROLES, type Role } from '../../endpoints/access';
import type { Caller } from '../caller';
import { organisationExists } from './bearers.queries';
import { tokenDigest } from './token-secrets';
import { recentlyUsed } from '../../common/work/recently-used';
import type { WorkPlace } from '../../common/work/request';
import { keysUnavailable, ProviderKeys } from './provider-keys';

/** Maximum length of a subject: it names the caller in every audit entry. */
const MAX_SUBJECT = 255;

/** Number of cached organisations. They are never deleted, so memory is the only reason to drop one. */
const MAX_KNOWN = 10_000;

/** Faults of the key set itself, for which the token is not to blame. */
const PROVIDER_FAULTS = ['ERR_JOSE_GENERIC', errors.JWKSInvalid.code];

type VerifyJwt = (token: string, place: WorkPlace | undefined) => Promise<Caller | undefined>;

/** Accepts the JWTs of a configured identity provider: signature, issuer, audience and expiry are checked. */
@Injectable()
export class JwtVerifier {
  private readonly verifyJwt: VerifyJwt | undefined;

  private readonly known = recentlyUsed<true>({ most: MAX_KNOWN });
  /** Organisations of accepted tokens, by the tokens' digests. */
  private readonly accepted = recentlyUsed<string>({ most: MAX_KNOWN });

  constructor(
    @Inject(ENVIRONMENT) { jwt }: Environment,
    private readonly statements: StatementPool,
  ) {
    if (!jwt) return;
    const keys = new ProviderKeys(new URL(jwt.jwksUrl));
    this.verifyJwt = async (token, place) => {
      // Asymmetric algorithms only: a public key must never be used as a shared secret.
      const { payload } = await jwtVerify(token, (header, jws) => keys.find(header, jws, place), {
        issuer: jwt.issuer,
        audience: jwt.audience,
        algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
        requiredClaims: ['exp', 'sub'],
      });
      return callerOf(payload, jwt);
    };
  }

  /**
   * @param place of the request, which leaves it while it waits for the provider
   * @returns undefined for anything but a JWT that this service accepts
   */
  async verify(token: string, place: WorkPlace | undefined): Promise<Caller | undefined> {
    const { verifyJwt } = this;
    if (!verifyJwt || token.split('.').length !== 3) return undefined;
    const caller = await this.callerOf(() => verifyJwt(token, place));
    if (!caller || !(await this.exists(caller.orgId))) return undefined;
    this.accepted.set(tokenDigest(token).toString('base64'), caller.orgId);
    return caller;
  }

  /** The organisation of a token that was accepted before; it may have expired. */
  lastKnownOrg(digest: Buffer): string | undefined {
    return this.accepted.get(digest.toString('base64'));
  }

  private async callerOf(verified: () => Promise<Caller | undefined>): Promise<Caller | undefined> {
    try {
      return await verified();
    } catch (error) {
      if (error instanceof Problem) throw error;
      // A bad token is the caller's fault; an unreachable provider is not.
      if (!(error instanceof errors.JOSEError) || PROVIDER_FAULTS.includes(error.code)) throw keysUnavailable(error);
      return undefined;
    }
  }

  private async exists(orgId: string): Promise<boolean> {
    if (this.known.has(orgId)) return true;
    if (!(await organisationExists(this.statements, orgId))) return false;
    this.known.set(orgId, true);
    return true;
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
