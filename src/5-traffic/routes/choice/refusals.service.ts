import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { SettlementsService } from '../../admissions/settlements.service';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { LOGGER } from '../../../1-platform/common/logger';
import { Problem } from '../../../1-platform/common/answers/problem';
import { databaseProblem } from '../../../1-platform/database/connections/database-errors';
import { RefusalSpans } from '../../usage/refusal-spans';
import { refusedRow, UNKNOWN_MODEL } from '../../usage/refused-request';
import type { UsageRow } from '../../usage/usage.queries';
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

/** Records requests that name a model and are refused before they are sent to a worker. */
@Injectable()
export class Refusals {
  private readonly spans: RefusalSpans;

  constructor(
    private readonly tables: RoutingTables,
    private readonly settlements: SettlementsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.spans = new RefusalSpans(settlements);
    settlements.beforeEnd(() => this.spans.end());
  }

  /** The caller does not wait for the record. A request without a valid bearer leaves none. */
  note(context: OrgContext, refusal: Refusal): void {
    const status = statusOf(refusal.error);
    if (status !== 401) void this.write(context, refusal, status);
  }

  /** @param row of a refused request for which nothing is reserved: its id may get no record */
  record(row: UsageRow): void {
    this.spans.add(row);
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
      this.record(refusedRow({ orgId, requestId, keyId, logicalModel, experimentId, status, streamed, tookMs }));
    } catch (error) {
      this.logger.warn({ err: error, requestId }, 'a refused request could not be recorded');
    } finally {
      written();
    }
  }
}

const statusOf = (error: unknown): number =>
  error instanceof Problem ? error.status : (databaseProblem(error)?.status ?? 500);
