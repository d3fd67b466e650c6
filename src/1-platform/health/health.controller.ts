import { Controller, Get, Res } from '@nestjs/common';
import {
  HealthCheckService,
  HealthIndicatorService,
  type HealthCheckResult,
  type HealthIndicatorResult,
} from '@nestjs/terminus';
import type { Response } from 'express';
import { ApiExcludeController } from '../common/described';
import { nothing, Operation, text } from '../endpoints/operation.decorator';
import { CHECKS, Readiness, type Check } from './readiness';

/** For operators of the process: not part of the API. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly readiness: Readiness,
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
   * Succeeds if requests can be served: the database answers, takes writes and has room, and the instance is
   * not draining.
   */
  @Get('readyz')
  @Operation({
    id: 'readyz',
    summary: 'Whether requests can be served',
    description:
      'Green while the database answers and takes writes, its disk has room and the instance is not draining: for a ' +
      'readiness probe.',
    access: 'public',
    work: 'probe',
    answer: nothing(200),
  })
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    const result = await this.health
      .check(CHECKS.map((check) => () => this.state(check)))
      .catch((error: { getResponse(): HealthCheckResult }) => error.getResponse());
    if (result.status !== 'ok') response.status(503).setHeader('retry-after', '1');
    return result;
  }

  private async state(check: Check): Promise<HealthIndicatorResult> {
    const indicator = this.indicators.check(check);
    const fault = await this.readiness.fault(check);
    return fault === undefined ? indicator.up() : indicator.down(fault);
  }
}
