import { Inject, Injectable } from '@nestjs/common';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload } from 'jose';
import { isUuid } from '../common/ids';
import { unavailable } from '../common/problem';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { ROLES, type Role } from './access';
import type { Caller } from './token-verifier';

/** Accepts the JWTs of an identity provider, where one is configured: signature, issuer, audience and expiry are checked. */
@Injectable()
export class JwtVerifier {
  private readonly verifyJwt: ((token: string) => Promise<Caller | undefined>) | undefined;

  constructor(@Inject(ENVIRONMENT) { jwt }: Environment) {
    if (!jwt) return;
    const keys = createRemoteJWKSet(new URL(jwt.jwksUrl), { timeoutDuration: 3_000, cooldownDuration: 10_000 });
    this.verifyJwt = async (token) => {
      // Asymmetric algorithms only: a public key must never be taken for a shared secret.
      const { payload } = await jwtVerify(token, keys, {
        issuer: jwt.issuer,
        audience: jwt.audience,
        algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
        requiredClaims: ['exp', 'sub'],
      });
      return callerOf(payload, jwt.organisationClaim, jwt.roleClaim);
    };
  }

  /** @returns undefined for what is no JWT, or none that this service accepts */
  async verify(token: string): Promise<Caller | undefined> {
    if (!this.verifyJwt || token.split('.').length !== 3) return undefined;
    try {
      return await this.verifyJwt(token);
    } catch (error) {
      // A bad token is the caller's; a provider that cannot be asked is not.
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) {
        throw unavailable(
          'identity_provider_unavailable',
          'The keys of the identity provider cannot be read; try again.',
          error,
        );
      }
      return undefined;
    }
  }
}

function callerOf(payload: JWTPayload, organisationClaim: string, roleClaim: string): Caller | undefined {
  const orgId = payload[organisationClaim];
  const role = payload[roleClaim];
  if (!isUuid(orgId) || !(ROLES as readonly unknown[]).includes(role) || !payload.sub) return undefined;
  return { orgId: orgId.toLowerCase(), actorId: payload.sub, role: role as Role };
}
