import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment, JwtSettings } from '../../config/environment';
import { StatementPool } from '../../database/connections/statement-pool';
import type { Caller } from '../caller';
import { organisationExists } from './bearers.queries';
import { tokenDigest } from './token-secrets';
import { recentlyUsed } from '../../common/work/recently-used';
import type { WorkPlace } from '../../common/work/request';
import type { ProviderTokens } from './provider-tokens';

/** Number of cached organisations. They are never deleted, so memory is the only reason to drop one. */
const MAX_KNOWN = 10_000;

/** Accepts the JWTs of a configured identity provider whose organisations exist. */
@Injectable()
export class JwtVerifier {
  private readonly provider: Promise<ProviderTokens> | undefined;
  private readonly known = recentlyUsed<true>({ most: MAX_KNOWN });
  /** Organisations of accepted tokens, by the tokens' digests. */
  private readonly accepted = recentlyUsed<string>({ most: MAX_KNOWN });

  constructor(
    @Inject(ENVIRONMENT) { jwt }: Environment,
    private readonly statements: StatementPool,
  ) {
    if (jwt) this.provider = tokensOf(jwt);
  }

  /**
   * @param place of the request, which leaves it while it waits for the provider
   * @returns undefined for anything but a JWT that this service accepts
   */
  async verify(token: string, place: WorkPlace | undefined): Promise<Caller | undefined> {
    if (!this.provider || token.split('.').length !== 3) return undefined;
    const provider = await this.provider;
    const caller = await provider.callerOf(token, place);
    if (!caller || !(await this.exists(caller.orgId))) return undefined;
    this.accepted.set(tokenDigest(token).toString('base64'), caller.orgId);
    return caller;
  }

  /** The organisation of a token that was accepted before; it may have expired. */
  lastKnownOrg(digest: Buffer): string | undefined {
    return this.accepted.get(digest.toString('base64'));
  }

  private async exists(orgId: string): Promise<boolean> {
    if (this.known.has(orgId)) return true;
    if (!(await organisationExists(this.statements, orgId))) return false;
    this.known.set(orgId, true);
    return true;
  }
}

/** Few services have a provider, and only they load the library that reads its tokens. */
async function tokensOf(settings: JwtSettings): Promise<ProviderTokens> {
  const module = (await import(join(__dirname, 'provider-tokens'))) as typeof import('./provider-tokens');
  return new module.ProviderTokens(settings);
}
