import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { In, IsNull } from 'typeorm';
import { isUuid } from '../../1-platform/common/ids';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { Instance, type AskedFor } from './instance.entity';
import type { Phase } from './instance.states';
import type { MachineFacts } from './providers/instance-provider';
import type { AccountState } from './providers/provider-accounts.queries';
import type { KnownInstance, Orphan } from './machines/reconcile';

const NOW = 'clock_timestamp()';

/** A record as it is shown. */
export interface InstanceRow extends KnownInstance {
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly instanceType: string;
  readonly asked: AskedFor | null;
  readonly createdAt: Date;
}

/** The members of a record, a row `i`, that a listing may change. */
export const KNOWN = `
  i.org_id as "orgId", i.id, i.phase, i.reason, i.asked_at as "askedAt", i.account,
  i.provider_id as "providerId", i.provider_status as "providerStatus", i.facts,
  i.seen_at as "seenAt", i.missing_since as "missingSince",
  i.delete_wanted_at as "deleteWantedAt", i.ended_at as "endedAt"`;
const SHOWN = `
  ${KNOWN}, i.name, i.cloud, i.region, i.instance_type as "instanceType", i.asked,
  i.created_at as "createdAt"`;

/** The request. */
export interface NewInstance {
  readonly id: string;
  readonly name: string;
  readonly cloud: string;
  readonly region: string;
  readonly instanceType: string;
  readonly asked: AskedFor;
}

export async function insertInstance(tx: Tx, instance: NewInstance): Promise<void> {
  await tx.store(Instance).insert({ ...instance, asked: instance.asked as object, phase: 'recorded' });
}

/**
 * Creates a record for a machine without one, because the machine is to be deleted. @returns false if another
 * transaction has created it
 * @param from the account whose listing contains it
 */
export async function adoptOrphan(
  tx: Tx,
  id: string,
  orphan: Orphan,
  from: Pick<AccountState, 'account' | 'listedAt'>,
): Promise<boolean> {
  const { name, cloud, region, type, providerId, status, facts } = orphan;
  const adopted = await tx.store(Instance).insertMissing({
    id,
    name,
    cloud,
    region,
    instanceType: type,
    phase: 'placed',
    account: from.account,
    providerId,
    providerStatus: status,
    facts: facts as object,
    seenAt: from.listedAt,
    deleteWantedAt: () => NOW,
  });
  return adopted > 0;
}

/** Notes that the machine is being requested. @returns false if it must not be requested any more */
export async function markAsked(tx: Tx, id: string, account: string): Promise<boolean> {
  const asked = { phase: 'asked', askedAt: () => NOW, account } as const;
  return (await tx.store(Instance).update({ id, phase: 'recorded' }, asked)) > 0;
}

// Meanwhile a sweep may have found the machine by its tag, or may have given up the record.
export async function markPlaced(tx: Tx, id: string, providerId: string): Promise<void> {
  await tx
    .store(Instance)
    .update(
      { id, phase: In(['asked', 'failed']), providerId: IsNull() },
      { phase: 'placed', providerId, reason: null, endedAt: null, missingSince: null },
    );
}

export async function markFailed(tx: Tx, id: string, reason: string): Promise<void> {
  await tx.store(Instance).update({ id, phase: 'asked' }, { phase: 'failed', reason, endedAt: () => NOW });
}

// A record that was never requested ends with its deletion; a failed one only leaves the list.
const WANT_DELETED = `
  update instances as i set delete_wanted_at = coalesce(i.delete_wanted_at, clock_timestamp()),
    phase = case when i.phase = 'recorded' then 'failed' else i.phase end,
    ended_at = case when i.phase = 'recorded' then clock_timestamp() else i.ended_at end
  where i.org_id = $org_id and i.id = $id returning ${SHOWN}`;

export const wantDeleted = (tx: Tx, id: string): Promise<InstanceRow[]> =>
  tx.query<InstanceRow & QueryResultRow>(WANT_DELETED, { org_id: tx.orgId, id });

// It comes back if a key lists the machine nevertheless.
const END_FORGOTTEN = `
  update instances as i set phase = 'gone', reason = $reason, ended_at = clock_timestamp(),
    missing_since = null
  where i.org_id = $org_id and i.id = $id returning ${SHOWN}`;

export const endForgotten = (tx: Tx, id: string, reason: string): Promise<InstanceRow[]> =>
  tx.query<InstanceRow & QueryResultRow>(END_FORGOTTEN, { org_id: tx.orgId, id, reason });

const FIND = `
  select ${SHOWN} from instances i
  where i.org_id = $org_id and (i.id = $id or i.provider_id = $provider_id) limit 1`;

/** By its id, or by the marketplace's. */
export async function findInstance(tx: Tx, id: string, { lock = false } = {}): Promise<InstanceRow | undefined> {
  const [row] = await tx.query<InstanceRow & QueryResultRow>(lock ? `${FIND} for update` : FIND, {
    org_id: tx.orgId,
    id: isUuid(id) ? id : null,
    provider_id: id,
  });
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
  readonly reason: string | null;
  readonly facts: MachineFacts | null;
}

const LIST = `
  select id, name, cloud, region, instance_type as "instanceType", created_at as "createdAt", phase,
    provider_status as "providerStatus", delete_wanted as "deleteWanted", reason, facts
  from (
    select i.id::text, i.name, i.cloud, i.region, i.instance_type, i.created_at, i.phase, i.provider_status,
      i.delete_wanted_at is not null as delete_wanted, i.reason, i.facts
    from instances i where i.org_id = $org_id and i.phase <> 'gone'
      and not (i.phase = 'failed' and i.delete_wanted_at is not null)
    union all
    select o."providerId", o.name, o.cloud, o.region, o.type, null, null, o.status, false, null, o.facts
    from json_to_recordset($orphans::json) as o("providerId" text, name text, cloud text, region text,
      type text, status text, facts json)
    -- If somebody is already deleting the orphan, it has a record.
    where not exists (select from instances i where i.org_id = $org_id and i.provider_id = o."providerId")
  ) listed
  where $name::text is null or name ilike $name
  order by created_at desc nulls last, id limit $limit offset $offset`;

/** Newest first; orphans last. Machines that are gone are left out. */
export async function listInstances(
  tx: Tx,
  orphans: readonly Orphan[],
  name: string | undefined,
  slice: Slice,
): Promise<Page<ListedInstance>> {
  const values = {
    org_id: tx.orgId,
    name: likeContaining(name),
    orphans: JSON.stringify(orphans),
    ...rowsOf(slice),
  };
  return Page.of(await tx.query<ListedInstance & QueryResultRow>(LIST, values), slice);
}

/** Machines that are gone, or never came to be. */
export const OLD_INSTANCES: AgingRows = { table: 'instances', at: 'ended_at', key: { id: 'uuid' } };
