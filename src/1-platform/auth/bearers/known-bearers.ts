import { Injectable } from '@nestjs/common';
import { bearerOf } from '../bearer.guard';
import { JwtVerifier } from './jwt-verifier';
import { KeyVerifier } from './key-verifier';
import { tokenDigest } from './token-secrets';
import { TokenVerifier } from './token-verifier';

/** A caller whose bearer was valid when it was last looked up. */
export interface KnownBearer {
  /** The same for all spellings of the header. */
  readonly bearer: string;
  readonly orgId: string;
}

/** Distinguishes known callers from unknown ones without asking the database. It grants no permission. */
@Injectable()
export class KnownBearers {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly keys: KeyVerifier,
    private readonly jwts: JwtVerifier,
  ) {}

  /** @param header `Authorization` */
  find(header: string | undefined): KnownBearer | undefined {
    const bearer = bearerOf(header);
    if (bearer === undefined) return undefined;
    const digest = tokenDigest(bearer);
    const orgId = this.tokens.lastKnownOrg(digest) ?? this.keys.lastKnownOrg(digest) ?? this.jwts.lastKnownOrg(digest);
    return orgId === undefined ? undefined : { bearer, orgId };
  }
}
