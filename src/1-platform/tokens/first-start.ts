import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { newToken, tokenDigest } from '../auth/bearers/token-secrets';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import { LOGGER } from '../common/logger';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import type { Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Organisation } from '../organisations/organisation.entity';
import { AccessToken } from './access-token.entity';
import { lockOrganisations, tokenWorks } from './tokens.queries';

/** Prepares an empty database: one organisation and one admin token, before anyone can call the service. */
@Injectable()
export class FirstStart {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns the admin token if this call generated one; undefined otherwise */
  prepare(): Promise<string | undefined> {
    return this.unitOfWork.system('first start', async (tx) => {
      await lockOrganisations(tx);
      if (await tx.manager.exists(Organisation)) {
        await this.warnOfIgnoredToken(tx);
        return undefined;
      }
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
        scope: 'platform',
        digest: tokenDigest(token),
        createdAt,
      });
      return bootstrapToken === undefined ? token : undefined;
    });
  }

  /** An operator who sets `BOOTSTRAP_TOKEN` expects it to work, but later starts do not store it. */
  private async warnOfIgnoredToken(tx: Tx): Promise<void> {
    const { bootstrapToken } = this.environment;
    if (bootstrapToken === undefined) return;
    if (await tokenWorks(tx, tokenDigest(bootstrapToken))) return;
    this.logger.warn(
      'BOOTSTRAP_TOKEN is ignored: the database already has tokens, and this is not one of them. ' +
        'If the admin token is lost, run: npm run token -- --role admin --name rescue',
    );
  }
}
