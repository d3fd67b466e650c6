import { Controller, Get, Res } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import type { Response } from 'express';
import { ApiExcludeController } from '../common/described';
import { nothing, Operation, text } from '../endpoints/operation.decorator';
import { SharedLook } from '../common/work/shared-look';
import { DataDisk } from '../database/connections/data-disk';
import { StatementPool } from '../database/connections/statement-pool';
import { Draining } from '../http/admission/draining';
import { ping, SHARED_PING } from './health.queries';

/** For operators of the process: not part of the API. */
@ApiExcludeController()
@Controller()
export class HealthController {
  private readonly ping = new SharedLook(() => ping(this.statements), SHARED_PING);

  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly statements: StatementPool,
    private readonly dataDisk: DataDisk,
    private readonly draining: Draining,
  ) {}

  /**
   * Succeeds while the process answers at all. Never asks the database, because restarting this process would
   * not help.
   */
  @Get('livez')
  @Operation({
    id: 'livez',
    summary: 'Whether the process answers',
    description: 'Looks at nothing else: for a liveness probe.',
    access: 'public',
    work: 'probe',
    answer: text('ok'),
  })
  live(): string {
    return 'ok';
  }

  /**
   * Succeeds if requests can be served: the database answers and has room, and the instance is not draining.
   */
  @Get('readyz')
  @Operation({
    id: 'readyz',
    summary: 'Whether requests can be served',
    description:
      'Green while the database answers, its disk has room and the instance is not draining: for a readiness probe.',
    access: 'public',
    work: 'probe',
    answer: nothing(200),
  })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    const result = await this.health
      .check([() => this.drainingState(), () => this.database(), () => this.disk()])
      .catch((error: { getResponse(): HealthCheckResult }) => error.getResponse());
    if (result.status !== 'ok') response.status(503).setHeader('retry-after', '1');
    return result;
  }

  private drainingState() {
    const indicator = this.indicators.check('serving');
    return this.draining.started ? indicator.down('draining') : indicator.up();
  }

  private async database() {
    const indicator = this.indicators.check('database');
    try {
      await this.ping.get();
      return indicator.up();
    } catch {
      // The log has the details; this answer is public.
      return indicator.down('unreachable');
    }
  }

  private async disk() {
    const indicator = this.indicators.check('disk');
    try {
      return (await this.dataDisk.hasRoom()) ? indicator.up() : indicator.down('full');
    } catch {
      return indicator.down('unknown');
    }
  }
}
