import { Int, Uuid } from '../../1-platform/common/fields/fields';
import { ProfileId } from '../../4-serving/profiles/profiles.dto';

export const DEFAULT_HOURS = 24;
/** 90 days. */
export const MAX_HOURS = 2_160;

export class ReportQuery {
  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_HOURS,
    default: DEFAULT_HOURS,
    description: `Length of the window up to now, clamped to ${MAX_HOURS}`,
  })
  hours?: number;

  @ProfileId({ optional: true, description: 'Only requests that this profile served, and its workers and artifacts' })
  profile_id?: string;

  @Uuid({ optional: true, description: 'Only requests of this experiment, and workers and artifacts of its time' })
  experiment_id?: string;
}
