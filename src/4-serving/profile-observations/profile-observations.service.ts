import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { invariant } from '../../1-platform/common/invariant';
import { toMilliseconds } from '../../1-platform/common/fields/fields';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ProfilesService } from '../profiles/profiles.service';
import {
  DEFAULT_OBSERVATIONS,
  type ListObservationsQuery,
  type ObservationListItemView,
  type ObservationView,
  type RecordObservationBody,
} from './profile-observations.dto';
import { keepObservation, listObservations } from './profile-observations.queries';

/** Measurements by controllers and benchmarks. */
@Injectable()
export class ProfileObservationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
  ) {}

  /** @returns the observation with that key: the first one recorded */
  record(context: OrgContext, body: RecordObservationBody): Promise<ObservationView> {
    const { profile_id: profileId, observation_key: key, started_at: from, completed_at: to } = body;
    if (to && toMilliseconds(to) < toMilliseconds(from))
      throw invalidField('completed_at', 'must not be before started_at');
    return this.audit.change(context, async (tx, record) => {
      if (profileId) await this.profiles.check(tx, profileId);
      const { observation, created } = await keepObservation(tx, newId(), body);
      invariant(observation, 'an observation is never deleted');
      const details = { observation_key: key, created };
      await record({ resourceType: 'observation', resourceId: observation.id, details });
      return observation;
    });
  }

  list(context: OrgContext, query: ListObservationsQuery): Promise<Page<ObservationListItemView>> {
    const slice = sliceOf(query, DEFAULT_OBSERVATIONS);
    const { profile_id: profileId, experiment_id: experimentId, event_type: eventType } = query;
    return this.unitOfWork.read(context, (tx) => listObservations(tx, { profileId, experimentId, eventType }, slice));
  }
}
