import type { QueryResultRow } from 'pg';
import { isUuid } from '../../1-platform/common/ids';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { AskedFor } from './instance.entity';
import type { Phase } from './instance.states';
import type { KnownInstance, Orphan } from './machines/reconcile';

/** A record as it is shown. */
export interface InstanceRow extends KnownInstance {
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly instanceType: string;
  readonly asked: AskedFor | null;
  readonly createdAt: Date;
}

/** Of a row `i`, the members that a listing may change. */
export const KNOWN = `
  i.org_id as "orgId", i.id, i.phase, i.reason, i.asked_at as "askedAt", i.provider_id as "providerId", i.provider_status as "providerStatus",
  i.facts, i.seen_at as "seenAt", i.missing_since as "missingSince", i.delete_wanted_at as "deleteWantedAt", i.ended_at as "endedAt"`;
const SHOWN = `${KNOWN}, i.name, i.cloud, i.region, i.instance_type as "instanceType", i.asked, i.created_at as "createdAt"`;

/** The request. */
export interface NewInstance {
  readonly id: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly instanceType: string;
  readonly asked: AskedFor;
}

const INSERT = `
  insert into instances (org_id, id, name, cloud, region, instance_type, asked, phase) values ($1, $2, $3, $4, $5, $6, $7, 'recorded')`;

export async function insertInstance(tx: Tx, instance: NewInstance): Promise<void> {
  const { id, name, cloud, region, instanceType, asked } = instance;
  await tx.query(INSERT, [tx.orgId, id, name, cloud, region, instanceType, JSON.stringify(asked)]);
}

const ADOPT = `
  insert into instances (org_id, id, name, cloud, region, instance_type, phase, provider_id, provider_status, facts, seen_at, delete_wanted_at)
  values ($1, $2, $3, $4, $5, $6, 'placed', $7, $8, $9, $10, clock_timestamp()) on conflict do nothing returning id`;

/**
 * Makes a record of a machine that had none, because it is to
 * be deleted. @returns false where somebody else has
 */
export async function adoptOrphan(tx: Tx, id: string, orphan: Orphan, seenAt: Date | null): Promise<boolean> {
  const { name, cloud, region, type, providerId, status, facts } = orphan;
  const values = [tx.orgId, id, name, cloud, region, type, providerId, status, JSON.stringify(facts), seenAt];
  return (await tx.query(ADOPT, values)).length > 0;
}

const SENT = `update instances set phase = 'asked', asked_at = clock_timestamp() where org_id = $1 and id = $2 and phase = 'recorded' returning id`;

/** Notes that it is being asked for. @returns false where it no longer is to be */
export const markAsked = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.query(SENT, [tx.orgId, id])).length > 0;

// A sweep may have found the machine by its tag, or given it up, in the meantime.
const PLACED = `
  update instances set phase = 'placed', provider_id = $3, reason = null, ended_at = null, missing_since = null
  where org_id = $1 and id = $2 and phase in ('asked', 'failed') and provider_id is null`;

export async function markPlaced(tx: Tx, id: string, providerId: string): Promise<void> {
  await tx.query(PLACED, [tx.orgId, id, providerId]);
}

const FAILED = `
  update instances set phase = 'failed', reason = $3, ended_at = clock_timestamp() where org_id = $1 and id = $2 and phase = 'asked'`;

export async function markFailed(tx: Tx, id: string, reason: string): Promise<void> {
  await tx.query(FAILED, [tx.orgId, id, reason]);
}

// A record that was never requested ends with its deletion; a failed one only leaves the list.
const WANT_DELETED = `
  update instances as i set delete_wanted_at = coalesce(i.delete_wanted_at, clock_timestamp()),
    phase = case when i.phase = 'recorded' then 'failed' else i.phase end,
    ended_at = case when i.phase = 'recorded' then clock_timestamp() else i.ended_at end
  where i.org_id = $1 and i.id = $2 returning ${SHOWN}`;

export const wantDeleted = (tx: Tx, id: string): Promise<InstanceRow[]> =>
  tx.query<InstanceRow & QueryResultRow>(WANT_DELETED, [tx.orgId, id]);

const FIND = `select ${SHOWN} from instances i where i.org_id = $1 and (i.id = $2 or i.provider_id = $3) limit 1`;

/** By its id, or by the marketplace's. */
export async function findInstance(tx: Tx, id: string, { lock = false } = {}): Promise<InstanceRow | undefined> {
  const [row] = await tx.query<InstanceRow & QueryResultRow>(lock ? `${FIND} for update` : FIND, [
    tx.orgId,
    isUuid(id) ? id : null,
    id,
  ]);
  return row;
}

/** A row of the list: a record, or an orphan. */
export interface ListedInstance {
  readonly id: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly instanceType: string;
  readonly createdAt: Date | null;
  /** Null for an orphan. */
  readonly phase: Phase | null;
  readonly providerStatus: string | null;
  readonly deleteWanted: boolean;
}

const LIST = `
  select id, name, cloud, region, instance_type as "instanceType", created_at as "createdAt", phase,
    provider_status as "providerStatus", delete_wanted as "deleteWanted"
  from (
    select i.id::text, i.name, i.cloud, i.region, i.instance_type, i.created_at, i.phase, i.provider_status,
      i.delete_wanted_at is not null as delete_wanted
    from instances i where i.org_id = $1 and i.phase <> 'gone' and not (i.phase = 'failed' and i.delete_wanted_at is not null)
    union all
    select o."providerId", o.name, o.cloud, o.region, o.type, null, null, o.status, false
    from json_to_recordset($2::json) as o("providerId" text, name text, cloud text, region text, type text, status text)
    -- One that somebody is deleting has a record by now.
    where not exists (select from instances i where i.org_id = $1 and i.provider_id = o."providerId")
  ) listed
  order by created_at desc nulls last, id limit $3 offset $4`;

/** Newest first; orphans last. Machines that are gone are left out. */
export async function listInstances(tx: Tx, orphans: readonly Orphan[], slice: Slice): Promise<Page<ListedInstance>> {
  const values = [tx.orgId, JSON.stringify(orphans), slice.limit + 1, slice.offset];
  return Page.of(await tx.query<ListedInstance & QueryResultRow>(LIST, values), slice);
}
