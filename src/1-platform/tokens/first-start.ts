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

const WORKS = `
  select from access_tokens where digest = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;

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
      // If replicas start together, one of them prepares the database, and the others wait.
      await tx.query('lock table organisations in share row exclusive mode');
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
    if ((await tx.query(WORKS, [tokenDigest(bootstrapToken)])).length > 0) return;
    this.logger.warn(
      'BOOTSTRAP_TOKEN is ignored: the database already has tokens, and this is not one of them. ' +
        'If the admin token is lost, run: npm run token -- --role admin --name rescue',
    );
  }
}
