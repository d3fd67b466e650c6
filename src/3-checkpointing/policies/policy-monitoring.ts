import { Injectable } from '@nestjs/common';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { Monitoring, type PoliciesByRow } from '../../2-inventory/kubernetes/monitoring.ports';
import { policiesOfJobs, policiesOfPods } from './beats/policy-targets.queries';

/** Which policies act on pods and jobs. An empty page costs no statement. */
@Injectable()
export class PolicyMonitoring extends Monitoring {
  async policiesOfPods(tx: Tx, podIds: readonly string[]): Promise<PoliciesByRow> {
    return podIds.length === 0 ? new Map() : policiesOfPods(tx, podIds);
  }

  async policiesOfJobs(tx: Tx, jobIds: readonly string[]): Promise<PoliciesByRow> {
    return jobIds.length === 0 ? new Map() : policiesOfJobs(tx, jobIds);
  }
}
