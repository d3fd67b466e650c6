import { Global, Injectable, Module } from '@nestjs/common';
import type { Tx } from '../../1-platform/database/transactions/tx';

/** Ids of policies by the row that they act on. */
export type PoliciesByRow = ReadonlyMap<string, readonly string[]>;

/** Finds the policies that act on pods or jobs. */
export interface MonitoringSource {
  policiesOfPods(tx: Tx, podIds: readonly string[]): Promise<PoliciesByRow>;
  policiesOfJobs(tx: Tx, jobIds: readonly string[]): Promise<PoliciesByRow>;
}

/** A port for the lists of pods and jobs, which show policies of the next wing. */
@Injectable()
export class Monitoring {
  private source: MonitoringSource | undefined;

  answeredBy(source: MonitoringSource): void {
    this.source = source;
  }

  async policiesOfPods(tx: Tx, podIds: readonly string[]): Promise<PoliciesByRow> {
    return podIds.length === 0 ? new Map() : ((await this.source?.policiesOfPods(tx, podIds)) ?? new Map());
  }

  async policiesOfJobs(tx: Tx, jobIds: readonly string[]): Promise<PoliciesByRow> {
    return jobIds.length === 0 ? new Map() : ((await this.source?.policiesOfJobs(tx, jobIds)) ?? new Map());
  }
}

@Global()
@Module({ providers: [Monitoring], exports: [Monitoring] })
export class MonitoringModule {}
