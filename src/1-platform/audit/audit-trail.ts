import { Injectable } from '@nestjs/common';
import { newId } from '../common/ids';
import { invariant } from '../common/invariant';
import type { Values } from '../database/transactions/statement';
import type { OrgScope, Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { auditValues, insertAuditEntry } from './audit-entry.queries';

export interface AuditedChange {
  readonly resourceType: string;
  readonly resourceId: string | null;
  /** Further details of the change: counts, names, states. Never a secret, never a body. */
  readonly details?: object;
  /** Whose resource it is, if not the caller's: it gets an entry too. Only in the system's scope. */
  readonly ownerId?: string;
}

/** Who makes a change: a caller, or the service itself. */
export interface Author extends OrgScope {
  readonly actorId: string;
  readonly role: string;
  readonly operation: string;
  readonly requestId: string;
}

/** The change of a request; it must call `record` exactly once. */
export type AuditedWork<T> = (tx: Tx, record: (change: AuditedChange) => Promise<void>) => Promise<T>;

/**
 * Runs the changes that requests make. Each leaves exactly one entry of its organisation in its own
 * transaction, or is rolled back.
 */
@Injectable()
export class AuditTrail {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Opens a unit of work for a request that changes something. */
  change<T>(context: Author, work: AuditedWork<T>): Promise<T> {
    return this.unitOfWork.run(context, async (tx) => {
      let recorded = 0;
      const result = await work(tx, async (change) => {
        recorded++;
        await this.write(tx, context, change);
        const { ownerId = context.orgId } = change;
        if (ownerId !== context.orgId) await this.write(tx, { ...context, orgId: ownerId }, change);
      });
      invariant(recorded === 1, `${context.operation} left ${recorded} audit entries`);
      return result;
    });
  }

  /** The values of an entry, for a statement that writes it itself: see `auditEntryOf`. */
  entryValues(context: Author, { resourceType, resourceId, details }: AuditedChange): Values {
    const { orgId, actorId, role, operation, requestId } = context;
    return auditValues({
      org_id: orgId,
      id: newId(),
      actor_id: actorId,
      actor_role: role,
      action: operation,
      resource_type: resourceType,
      resource_id: resourceId,
      request_id: requestId,
      details: details === undefined ? null : JSON.stringify(details),
    });
  }

  private async write(tx: Tx, context: Author, change: AuditedChange): Promise<void> {
    await insertAuditEntry(tx, this.entryValues(context, change));
  }
}
