import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedWork } from '../../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { ClustersService } from '../../clusters/clusters.service';
import { Prepared } from '../../../1-platform/common/answers/prepared';
import { failedCall, tellsOfFailure } from '../slurm-errors';
import { syncText } from '../values/slurm-record';
import type { SlurmSyncBody } from './slurm-sync.dto';
import { readSet, type NamedRow, type FullSyncStore } from './full-sync-store.queries';

/** How one kind of thing is kept. */
export interface FullSyncKind<Row extends NamedRow> {
  readonly noun: string;
  readonly read: (record: unknown) => Row;
  readonly store: FullSyncStore<Row>;
}

/** Syncs that tell the whole set of something of a cluster. */
@Injectable()
export class FullSync {
  constructor(
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  /**
   * Stores the set; what it does not tell goes missing.
   * @param recordsOf the records of the body, once it is known to be no failed call's
   * @returns the answer's text
   */
  async run<Row extends NamedRow, Body extends SlurmSyncBody>(
    context: OrgContext,
    body: Body,
    recordsOf: (body: Body) => readonly unknown[],
    { noun, read, store }: FullSyncKind<Row>,
  ): Promise<Prepared<string>> {
    if (tellsOfFailure(body.errors)) throw failedCall(body.errors);
    const told = await readSet(recordsOf(body), read);
    const apply: AuditedWork<string> = async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      await store.apply(tx, clusterId, told);
      await this.clusters.heardOf(tx, clusterId, undefined);
      const details = { synced: told.rows.length, failed: told.failures.length };
      await record({ resourceType: 'cluster', resourceId: clusterId, details });
      return syncText(noun, told.rows.length, told.failures);
    };
    return new Prepared(() => this.audit.change(context, apply));
  }
}
