import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../auth/org-context';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import { invariant } from '../common/invariant';
import { statement, type Values } from '../database/transactions/statement';
import type { Tx } from '../database/transactions/tx';
import { UnitOfWork } from '../database/transactions/unit-of-work';

export interface AuditedChange {
  readonly resourceType: string;
  readonly resourceId: string | null;
  /** What else identifies the change: counts, names, states. Never a secret, never a body. */
  readonly details?: object;
}

/** A change of a request: it must call `record` exactly once. */
export type AuditedWork<T> = (tx: Tx, record: (change: AuditedChange) => Promise<void>) => Promise<T>;

const COLUMNS = {
  org_id: 'uuid',
  id: 'uuid',
  occurred_at: 'timestamptz',
  actor_id: 'text',
  actor_role: 'text',
  action: 'text',
  resource_type: 'text',
  resource_id: 'text',
  request_id: 'text',
  details: 'json',
};

/**
 * Writes an entry for each row of `source`, as part of a statement of a hot path. The statement gets the
 * values of `AuditTrail.entryValues` among its own.
 */
export const auditEntryOf = (source: string, first?: number): string => `
  insert into audit_entries (${Object.keys(COLUMNS).join(', ')})
  select ${Object.entries(COLUMNS)
    .map(([name, type], place) => `$${first === undefined ? `audit_${name}` : first + place}::${type}`)
    .join(', ')}
  from ${source}`;

const INSERT = statement('audit-entry', auditEntryOf('(values (1)) one'));

/**
 * Runs the changes that requests make: each leaves exactly
 * one entry in its own transaction, or is rolled back.
 */
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

  /** The values of an entry, for a statement that writes it itself. */
  entry(context: OrgContext, { resourceType, resourceId, details }: AuditedChange): unknown[] {
    const { orgId, actorId, role, operation, requestId } = context;
    const detailsJson = details === undefined ? null : JSON.stringify(details);
    return [
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
    ];
  }

  /** As `entry`, by the names of the parameters of `auditEntryOf`. */
  entryValues(context: OrgContext, change: AuditedChange): Values {
    const values = this.entry(context, change);
    return Object.fromEntries(Object.keys(COLUMNS).map((name, place) => [`audit_${name}`, values[place]]));
  }

  private async write(tx: Tx, context: OrgContext, change: AuditedChange): Promise<void> {
    await tx.prepared(INSERT, this.entryValues(context, change));
  }
}
