import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { invariant } from '../../1-platform/common/invariant';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { invalid, invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { AddressPolicy } from '../../1-platform/outbound/address-policy';
import { appendEvent } from '../../1-platform/outbox/outbox';
import {
  checkpoints,
  compatibilityKey,
  engineFlags,
  pricingFault,
  profileRevision,
  withDefaults,
} from './profile-facts';
import { endpointsFault } from './profile-endpoints';
import { hasWorker, workerFault } from './profile-worker';
import type { CreateProfileBody, ListProfilesQuery } from './profiles.dto';
import { anotherProfile, profileNotFound } from './profiles.errors';
import { PROFILE_EVENTS } from './profiles.events';
import { ProfileSwitched } from './profiles.ports';
import {
  enableProfile,
  getProfile,
  insertProfile,
  listProfiles,
  lockProfile,
  lockProfiles,
  profileExists,
  type LockedProfile,
  type ProfileRow,
} from './profiles.queries';

@Injectable()
export class ProfilesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly addresses: AddressPolicy,
    private readonly switched: ProfileSwitched,
  ) {}

  /** The same body again finds the profile; another one under its id is a conflict. */
  create(context: OrgContext, body: CreateProfileBody): Promise<{ profile: ProfileRow; created: boolean }> {
    const { backend_url: backendUrl, spec } = body;
    const fault = backendUrl == null ? undefined : this.addresses.fault(backendUrl);
    if (fault !== undefined) throw invalidField('backend_url', fault);
    const specFault = pricingFault(spec) ?? endpointsFault(spec) ?? workerFault(spec);
    if (specFault) throw invalid([specFault]);
    if (backendUrl == null && !hasWorker(spec)) throw invalidField('backend_url', 'is required without spec.worker');
    const full = withDefaults(body);
    if (full.min_replicas > full.max_replicas) throw invalidField('min_replicas', 'must not be above max_replicas');
    const { compatibility: _, ...columns } = full;
    const wanted: ProfileRow = {
      ...columns,
      profile_revision: profileRevision(full),
      compatibility_key: compatibilityKey(full),
      checkpoints: checkpoints(full),
      engine_flags: engineFlags(full.spec),
      enabled: body.enabled ?? true,
    };
    return this.audit.change(context, async (tx, record) => {
      const { profile_id: profileId } = wanted;
      const created = await insertProfile(tx, wanted);
      const profile = await getProfile(tx, profileId);
      invariant(profile, 'a profile is never deleted');
      if (profile.profile_revision !== wanted.profile_revision) throw anotherProfile();
      if (created) {
        const payload = { profile_id: profileId };
        await appendEvent(tx, { type: PROFILE_EVENTS.created, aggregateId: profileId, clusterId: null, payload });
      }
      const changed = body.enabled !== undefined && (await enableProfile(tx, profileId, body.enabled));
      if (changed) await this.switched.notify(tx, profileId);
      const enabled = body.enabled ?? profile.enabled;
      const details = { created, ...(changed ? { enabled } : {}) };
      await record({ resourceType: 'profile', resourceId: profileId, details });
      return { profile: { ...profile, enabled }, created };
    });
  }

  list(context: OrgContext, query: ListProfilesQuery): Promise<Page<ProfileRow>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listProfiles(tx, slice, query.name));
  }

  get(context: OrgContext, profileId: string): Promise<ProfileRow> {
    return this.unitOfWork.read(context, (tx) => this.known(tx, profileId));
  }

  /** A profile of this organisation, or a 404. */
  async known(tx: Tx, profileId: string): Promise<ProfileRow> {
    const profile = await getProfile(tx, profileId);
    if (!profile) throw profileNotFound();
    return profile;
  }

  /** As `known`, without returning the profile. */
  async check(tx: Tx, profileId: string): Promise<void> {
    if (!(await profileExists(tx, profileId))) throw profileNotFound();
  }

  /** As `check`, and locks the profile until the transaction ends. */
  async lock(tx: Tx, profileId: string): Promise<LockedProfile> {
    const profile = await lockProfile(tx, profileId);
    if (!profile) throw profileNotFound();
    return profile;
  }

  /** As `lock`, for many. @returns indexes, from 0, of ids without a profile */
  async lockAll(tx: Tx, profileIds: readonly string[]): Promise<number[]> {
    const known = new Set(await lockProfiles(tx, profileIds));
    return profileIds.flatMap((id, place) => (known.has(id) ? [] : [place]));
  }
}
