import { Injectable } from '@nestjs/common';
import { SharedLook } from '../common/work/shared-look';
import { DataDisk } from '../database/connections/data-disk';
import { StatementPool } from '../database/connections/statement-pool';
import { Draining } from '../http/admission/draining';
import { SHARED_PING, takesWrites } from './health.queries';

/** What has to be in order for requests to be served. */
export const CHECKS = ['serving', 'database', 'disk'] as const;
export type Check = (typeof CHECKS)[number];

/** Whether requests can be served: for the probe, and for the metrics. */
@Injectable()
export class Readiness {
  private readonly ping = new SharedLook(() => takesWrites(this.statements), SHARED_PING);

  constructor(
    private readonly statements: StatementPool,
    private readonly dataDisk: DataDisk,
    private readonly draining: Draining,
  ) {}

  /** @returns what is wrong, in words that anybody may read: the log has the details. Undefined: nothing */
  fault(check: Check): Promise<string | undefined> {
    return this[check]();
  }

  private serving(): Promise<string | undefined> {
    return Promise.resolve(this.draining.started ? 'draining' : undefined);
  }

  private async database(): Promise<string | undefined> {
    try {
      return (await this.ping.get()) ? undefined : 'read only';
    } catch {
      return 'unreachable';
    }
  }

  private async disk(): Promise<string | undefined> {
    try {
      return (await this.dataDisk.hasRoom()) ? undefined : 'full';
    } catch {
      return 'unknown';
    }
  }
}
