import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { newId } from '../common/ids';
import { invariant } from '../common/invariant';
import { toMilliseconds } from '../common/fields';
import { sliceOf, type Page } from '../common/paging';
import { invalidField } from '../common/problem';
import { UnitOfWork } from '../database/unit-of-work';
import { ProfilesService } from '../profiles/profiles.service';
import {
  DEFAULT_OBSERVATIONS,
  type ListObservationsQuery,
  type ObservationListItemView,
  type ObservationView,
  type RecordObservationBody,
} from './observations.dto';
import { keepObservation, listObservations } from './observations.queries';

/** What controllers and benches measured. */
@Injectable()
export class ObservationsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
  ) {}

  /** @returns the observation of that key: the first one that was told */
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
