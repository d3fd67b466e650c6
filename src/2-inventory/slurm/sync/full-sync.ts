import { Injectable } from '@nestjs/common';
import { AuditTrail, type AuditedWork } from '../../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { ClustersService } from '../../clusters/clusters.service';
import { Prepared } from '../../../1-platform/common/answers/prepared';
import { failedCall, tellsOfFailure } from '../slurm-errors';
import { syncText } from '../values/slurm-record';
import type { SlurmSyncBody } from './slurm-sync.dto';
import { readSet, type NamedRow, type FullSyncStore } from './full-sync-store.queries';

/** How one kind of record is stored. */
export interface FullSyncKind<Row extends NamedRow> {
  readonly noun: string;
  readonly read: (record: unknown) => Row;
  readonly store: FullSyncStore<Row>;
}

/** Syncs that report the whole set of one kind of record of a cluster. */
@Injectable()
export class FullSync {
  constructor(
    private readonly audit: AuditTrail,
    private readonly clusters: ClustersService,
  ) {}

  /**
   * Stores the set; missing rows are marked.
   * @param recordsOf the records of the body, called after it is known not to be a failed call
   * @returns the text of the answer
   */
  async run<Row extends NamedRow, Body extends SlurmSyncBody>(
    context: OrgContext,
    body: Body,
    recordsOf: (body: Body) => readonly unknown[],
    { noun, read, store }: FullSyncKind<Row>,
  ): Promise<Prepared<string>> {
    if (tellsOfFailure(body.errors)) throw failedCall(body.errors);
    const set = await readSet(recordsOf(body), read);
    const apply: AuditedWork<string> = async (tx, record) => {
      const clusterId = await this.clusters.resolve(tx, body.cluster_id);
      await store.apply(tx, clusterId, set);
      await this.clusters.noteReport(tx, clusterId, undefined);
      const details = { synced: set.rows.length, failed: set.failures.length };
      await record({ resourceType: 'cluster', resourceId: clusterId, details });
      return syncText(noun, set.rows.length, set.failures);
    };
    return new Prepared(() => this.audit.change(context, apply));
  }
}
