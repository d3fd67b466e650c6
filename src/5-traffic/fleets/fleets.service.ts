import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { invalid } from '../../1-platform/common/answers/problem';
import { takeTurn } from '../../1-platform/database/transactions/advisory-locks';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../1-platform/outbox/outbox';
import { ProfilesService } from '../../4-serving/profiles/profiles.service';
import { maximumOf } from './fleet-budgets';
import type { FleetView, SaveFleetBody } from './fleets.dto';
import { fleetInUse, fleetNotFound } from './fleets.errors';
import { FLEET_EVENTS } from './fleets.events';
import { deleteFleet, findFleet, listFleets, saveFleet } from './fleets.queries';

type Wanted = Omit<FleetView, 'created_at'>;

/** Groups of profiles, and the budgets of a group. */
@Injectable()
export class FleetsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<FleetView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listFleets(tx, slice));
  }

  get(context: OrgContext, fleetId: string): Promise<FleetView> {
    return this.unitOfWork.read(context, async (tx) => {
      const fleet = await findFleet(tx, fleetId);
      if (!fleet) throw fleetNotFound();
      return fleet;
    });
  }

  /** Creates a fleet, or changes the one with its id: optional members that are left out stay. */
  save(context: OrgContext, body: SaveFleetBody): Promise<FleetView> {
    const fleetId = body.fleet_id ?? newId();
    return this.audit.change(context, async (tx, record) => {
      await takeTurn(tx, 'fleet', turnOf(tx, fleetId));
      const before = await findFleet(tx, fleetId);
      const wanted = merged(fleetId, before, body);
      // Locks profiles before fleets, as a capacity request does: the next request counts the one that is in
      // progress.
      const unknown = await this.profiles.lockAll(tx, wanted.profile_ids);
      if (unknown.length > 0)
        throw invalid(unknown.map((place) => ({ field: `profile_ids[${place}]`, message: 'is no profile' })));
      const changed = !before || !sameFleet(before, wanted);
      const fleet = changed ? await saveFleet(tx, wanted, maximumOf(wanted.budgets)) : before;
      if (changed) await announceChange(tx, fleetId);
      const { name, profile_ids: profiles } = fleet;
      await record({ resourceType: 'fleet', resourceId: fleetId, details: { changed, name, profiles } });
      return fleet;
    });
  }

  /** Its profiles stay. */
  async delete(context: OrgContext, fleetId: string): Promise<void> {
    await this.audit.change(context, async (tx, record) => {
      // A concurrent change must not bring it back.
      await takeTurn(tx, 'fleet', turnOf(tx, fleetId));
      const outcome = await deleteFleet(tx, fleetId);
      if (outcome === 'unknown') throw fleetNotFound();
      if (outcome === 'in use') throw fleetInUse();
      await announceChange(tx, fleetId);
      await record({ resourceType: 'fleet', resourceId: fleetId });
    });
  }
}

const turnOf = ({ orgId }: Tx, fleetId: string): string => `${orgId} ${fleetId}`;

const announceChange = (tx: Tx, fleetId: string): Promise<void> =>
  appendEvent(tx, {
    type: FLEET_EVENTS.changed,
    aggregateId: fleetId,
    clusterId: null,
    payload: { fleet_id: fleetId },
  });

function merged(fleetId: string, before: FleetView | undefined, body: SaveFleetBody): Wanted {
  const or = <T>(sent: T | undefined, stored: T | undefined): T | null =>
    sent === undefined ? (stored ?? null) : sent;
  return {
    fleet_id: fleetId,
    name: body.name,
    logical_model: body.logical_model,
    profile_ids: body.profile_ids,
    budgets: or(body.budgets, before?.budgets),
    availability: or(body.availability, before?.availability),
    residency: or(body.residency, before?.residency),
  };
}

/** Budgets are compared in the stored form: another order makes another text. */
const sameFleet = (one: Wanted, other: Wanted): boolean => shown(one) === shown(other);

const shown = ({ name, logical_model, profile_ids, budgets, availability, residency }: Wanted): string =>
  JSON.stringify([name, logical_model, profile_ids, budgets, availability, residency]);
