import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessDeclarations } from './access-declarations';
import { JwtVerifier } from './jwt-verifier';
import { KeyVerifier } from './key-verifier';
import { TokenVerifier } from './token-verifier';

@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [TokenVerifier, KeyVerifier, JwtVerifier, AccessDeclarations],
  exports: [TokenVerifier, KeyVerifier, JwtVerifier],
})
export class AuthModule {}
