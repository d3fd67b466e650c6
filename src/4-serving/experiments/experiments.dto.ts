import { Int, Json, NamePart, OneOf, Str, Time, Uuid } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { ProfileId } from '../profiles/profiles.dto';
import { EXPERIMENT_ENDS, EXPERIMENT_STATUSES, type ExperimentEnd, type ExperimentStatus } from './experiment.states';

export class ListExperimentsQuery extends PageQuery {
  @OneOf(EXPERIMENT_STATUSES, { optional: true })
  status?: ExperimentStatus;

  @ProfileId({ optional: true, description: 'Only experiments on this profile' })
  profile_id?: string;

  @NamePart('the name or the id')
  name?: string;
}

export class CreateExperimentBody {
  @Str({ min: 1, max: 253 })
  name!: string;

  @Str({ min: 1, max: 1_024, description: 'What it does' })
  scenario!: string;

  @Json({ optional: true, description: 'Any JSON; an empty object by default' })
  parameters?: unknown;

  @ProfileId({
    optional: true,
    nullable: true,
    description: 'While it runs, requests that this profile serves belong to it unless they name another experiment',
  })
  profile_id?: string | null;
}

export class CompleteExperimentBody {
  @OneOf(EXPERIMENT_ENDS)
  status!: ExperimentEnd;
}

export class ExperimentView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str()
  scenario!: string;

  @Str({ description: `One of ${EXPERIMENT_STATUSES.join(', ')}` })
  status!: ExperimentStatus;

  @Time()
  started_at!: Date;

  @Json()
  parameters!: unknown;

  @Str({ nullable: true })
  profile_id!: string | null;

  @Time({ nullable: true, description: 'When it was completed or cancelled' })
  completed_at!: Date | null;
}

export class ExperimentListItemView extends ExperimentView {
  @Int({ description: 'Observations that name it' })
  observations!: number;
}
