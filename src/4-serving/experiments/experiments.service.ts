import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { appendEvent } from '../../1-platform/outbox/outbox';
import { profileExists } from '../profiles/profiles.queries';
import type {
  CompleteExperimentBody,
  CreateExperimentBody,
  ExperimentListItemView,
  ExperimentView,
  ListExperimentsQuery,
} from './experiments.dto';
import { experimentNotFound, experimentNotRunning } from './experiments.errors';
import { EXPERIMENT_EVENTS } from './experiments.events';
import { endExperiment, findExperiment, listExperiments, startExperiment } from './experiments.queries';

/** Load tests, from their start to their end. */
@Injectable()
export class ExperimentsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
  ) {}

  list(context: OrgContext, query: ListExperimentsQuery): Promise<Page<ExperimentListItemView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listExperiments(tx, query, slice));
  }

  get(context: OrgContext, id: string): Promise<ExperimentView> {
    return this.unitOfWork.read(context, async (tx) => {
      const experiment = await findExperiment(tx, id);
      if (!experiment) throw experimentNotFound();
      return experiment;
    });
  }

  create(context: OrgContext, body: CreateExperimentBody): Promise<ExperimentView> {
    const { profile_id: profileId = null } = body;
    return this.audit.change(context, async (tx, record) => {
      if (profileId !== null && !(await profileExists(tx, profileId)))
        throw invalidField('profile_id', 'is no profile');
      const experiment = await startExperiment(tx, newId(), body);
      const { id, name, scenario } = experiment;
      await announce(tx, EXPERIMENT_EVENTS.created, id);
      const details = { name, scenario, profile_id: profileId };
      await record({ resourceType: 'experiment', resourceId: id, details });
      return experiment;
    });
  }

  /** Ends it once: a second caller finds no running experiment. */
  complete(context: OrgContext, id: string, { status }: CompleteExperimentBody): Promise<ExperimentView> {
    return this.audit.change(context, async (tx, record) => {
      const experiment = await endExperiment(tx, id, status);
      if (!experiment) throw experimentNotRunning();
      await announce(tx, EXPERIMENT_EVENTS.completed, id);
      await record({ resourceType: 'experiment', resourceId: id, details: { status } });
      return experiment;
    });
  }
}

const announce = (
  tx: Tx,
  type: (typeof EXPERIMENT_EVENTS)[keyof typeof EXPERIMENT_EVENTS],
  id: string,
): Promise<void> => appendEvent(tx, { type, aggregateId: id, clusterId: null, payload: { experiment_id: id } });
