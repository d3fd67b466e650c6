import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessDeclarations } from './access-declarations';
import { JwtVerifier } from './jwt-verifier';
import { KeyVerifier } from './key-verifier';
import { KnownBearers } from './known-bearers';
import { TokenVerifier } from './token-verifier';

@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [TokenVerifier, KeyVerifier, JwtVerifier, KnownBearers, AccessDeclarations],
  exports: [TokenVerifier, KeyVerifier, JwtVerifier, KnownBearers],
})
export class AuthModule {}
