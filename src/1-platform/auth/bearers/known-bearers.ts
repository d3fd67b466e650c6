import { Injectable } from '@nestjs/common';
import { bearerOf } from '../bearer.guard';
import { JwtVerifier } from './jwt-verifier';
import { KeyVerifier } from './key-verifier';
import { tokenDigest } from './token-secrets';
import { TokenVerifier } from './token-verifier';

/** Distinguishes known callers from unknown ones without asking the database. It grants no permission. */
@Injectable()
export class KnownBearers {
  constructor(
    private readonly tokens: TokenVerifier,
    private readonly keys: KeyVerifier,
    private readonly jwts: JwtVerifier,
  ) {}

  /** @param header `Authorization` */
  has(header: string | undefined): boolean {
    const bearer = bearerOf(header);
    if (bearer === undefined) return false;
    const digest = tokenDigest(bearer);
    return this.tokens.wasValid(digest) || this.keys.wasValid(digest) || this.jwts.wasValid(digest);
  }
}
