import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { SettlementsService } from '../../admissions/settlements.service';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { LOGGER } from '../../../1-platform/common/logger';
import { Problem } from '../../../1-platform/common/answers/problem';
import { databaseProblem } from '../../../1-platform/database/connections/database-errors';
import { refusedRow, UNKNOWN_MODEL } from '../../usage/refused-request';
import { RoutingTables } from './routing-tables.service';

export interface Refusal {
  readonly requestId: string;
  /** As the caller names it; undefined if unknown. */
  readonly logicalModel: string | undefined;
  readonly experimentId: string | null;
  readonly streamed: boolean;
  readonly error: unknown;
  /** When the request arrived, of `performance.now`. */
  readonly begunAt: number;
}

/** Writes a usage record for each request that names a model and is refused before a target is chosen. */
@Injectable()
export class Refusals {
  constructor(
    private readonly tables: RoutingTables,
    private readonly settlements: SettlementsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * The caller does not wait for the record. A request without a valid bearer leaves none, and none is
   * written while too many records wait.
   */
  note(context: OrgContext, refusal: Refusal): void {
    const status = statusOf(refusal.error);
    if (status !== 401 && this.settlements.hasRoom) void this.write(context, refusal, status);
  }

  /** The recorded name of a model. */
  async recordedName(orgId: string, logicalModel: string | undefined): Promise<string> {
    // A table that does not know it may be older than its route.
    const isKnown = logicalModel !== undefined && (await this.tables.model(orgId, logicalModel)) !== undefined;
    return isKnown ? logicalModel : UNKNOWN_MODEL;
  }

  private async write({ orgId, key }: OrgContext, refusal: Refusal, status: number): Promise<void> {
    const { requestId, experimentId, streamed, begunAt } = refusal;
    const tookMs = performance.now() - begunAt;
    const written = this.settlements.expect({ orgId, requestId });
    try {
      const logicalModel = await this.recordedName(orgId, refusal.logicalModel);
      const keyId = key?.keyId ?? null;
      this.settlements.settle(
        refusedRow({ orgId, requestId, keyId, logicalModel, experimentId, status, streamed, tookMs }),
      );
    } catch (error) {
      this.logger.warn({ err: error, requestId }, 'a refused request could not be recorded');
    } finally {
      written();
    }
  }
}

const statusOf = (error: unknown): number =>
  error instanceof Problem ? error.status : (databaseProblem(error)?.status ?? 500);
