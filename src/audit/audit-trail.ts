import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import { invariant } from '../common/invariant';
import type { Tx } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';

export interface AuditedChange {
  readonly resourceType: string;
  readonly resourceId: string | null;
  /** What else identifies the change: counts, names, states. Never a secret, never a body. */
  readonly details?: object;
}

/** A change of a request: it must call `record` exactly once. */
export type AuditedWork<T> = (tx: Tx, record: (change: AuditedChange) => Promise<void>) => Promise<T>;

const INSERT = {
  name: 'audit-entry',
  text: `
    insert into audit_entries (org_id, id, occurred_at, actor_id, actor_role, action, resource_type, resource_id, request_id, details)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
};

/** Runs the changes that requests make: each leaves exactly one entry in its own transaction, or is rolled back. */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Opens a unit of work for a request that changes something. */
  change<T>(context: OrgContext, work: AuditedWork<T>): Promise<T> {
    return this.unitOfWork.run(context, async (tx) => {
      let recorded = 0;
      const result = await work(tx, async (change) => {
        recorded++;
        await this.write(tx, context, change);
      });
      invariant(recorded === 1, `${context.operation} left ${recorded} audit entries`);
      return result;
    });
  }

  private async write(
    tx: Tx,
    context: OrgContext,
    { resourceType, resourceId, details }: AuditedChange,
  ): Promise<void> {
    const { orgId, actorId, role, operation, requestId } = context;
    const detailsJson = details === undefined ? null : JSON.stringify(details);
    await tx.prepared(INSERT, [
      orgId,
      newId(),
      this.clock.now(),
      actorId,
      role,
      operation,
      resourceType,
      resourceId,
      requestId,
      detailsJson,
    ]);
  }
}
