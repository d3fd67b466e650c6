import { Global, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import { AccessDeclarations } from './access-declarations';
import { BearerGuard } from './bearer.guard';
import { JwtVerifier } from './jwt-verifier';
import { KeyVerifier } from './key-verifier';
import { TokenVerifier } from './token-verifier';

@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [
    TokenVerifier,
    KeyVerifier,
    JwtVerifier,
    AccessDeclarations,
    { provide: APP_GUARD, useClass: BearerGuard },
  ],
  exports: [TokenVerifier, KeyVerifier],
})
export class AuthModule {}
