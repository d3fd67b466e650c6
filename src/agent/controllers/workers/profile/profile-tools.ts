import type { ClusterContext } from '../../common/cluster-context';
import type { ProfileArtifacts } from '../artifacts/profile-artifacts';
import type { ProfileReports } from '../reports/profile-reports';
import type { WorkerRuns } from '../worker-runs';
import type { WorkerRecords } from './worker-record';

/** What the workers of a profile are managed with. */
export interface ProfileTools {
  readonly context: ClusterContext;
  readonly runs: WorkerRuns;
  readonly records: WorkerRecords;
  readonly artifacts: ProfileArtifacts;
  readonly reports: ProfileReports;
  /** Of the machine of all workers; undefined: they have none in common, or it is not known. */
  readonly bootId?: string | undefined;
}
