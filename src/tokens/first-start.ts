import { Inject, Injectable } from '@nestjs/common';
import { newToken, tokenDigest } from '../auth/token-secrets';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { UnitOfWork } from '../database/unit-of-work';
import { Organisation } from '../organisations/organisation.entity';
import { AccessToken } from './access-token.entity';

/** What an empty database needs before anyone can call the service: one organisation and one admin token. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** @returns the admin token when this call made one that nobody knows yet; undefined otherwise */
  prepare(): Promise<string | undefined> {
    return this.unitOfWork.system('first start', async (tx) => {
      // Replicas that start together: one of them prepares, the others wait and find it done.
      await tx.query('lock table organisations in share row exclusive mode');
      if (await tx.manager.exists(Organisation)) return undefined;
      const { bootstrapToken } = this.environment;
      const token = bootstrapToken ?? newToken();
      const createdAt = this.clock.now();
      const orgId = newId();
      await tx.manager.insert(Organisation, { id: orgId, name: 'default', createdAt });
      await tx.manager.insert(AccessToken, {
        orgId,
        id: newId(),
        name: 'bootstrap',
        role: 'admin',
        digest: tokenDigest(token),
        createdAt,
      });
      return bootstrapToken === undefined ? token : undefined;
    });
  }
}
