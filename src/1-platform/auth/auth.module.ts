import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessDeclarations } from '../endpoints/access-declarations';
import { JwtVerifier } from './bearers/jwt-verifier';
import { KeyVerifier } from './bearers/key-verifier';
import { KnownBearers } from './bearers/known-bearers';
import { TokenVerifier } from './bearers/token-verifier';

@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [TokenVerifier, KeyVerifier, JwtVerifier, KnownBearers, AccessDeclarations],
  exports: [TokenVerifier, KeyVerifier, JwtVerifier, KnownBearers],
})
export class AuthModule {}
