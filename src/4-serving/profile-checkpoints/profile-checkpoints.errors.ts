import { conflict, notFound } from '../../1-platform/common/answers/problem';
import type { RequestStatus, ReportedStatus } from './profile-checkpoint.states';

export const neverRequested = () =>
  notFound('checkpoint_request_not_found', 'No checkpoint or restart of the profile was ever requested.');
export const profileDoesNotCheckpoint = () =>
  conflict(
    'profile_does_not_checkpoint',
    'Workers of the profile are not checkpointed: see its hosting_mode and spec.',
  );
export const nothingToRestore = () =>
  conflict('nothing_to_restore', 'The profile has no artifact that can be restored where its workers run.');
export const anotherAttempt = () =>
  conflict('another_attempt', 'The report is not about the last attempt; nothing was changed.');
export const anotherArtifact = () => conflict('another_artifact', 'The attempt has already produced another artifact.');
export const requestMovesBack = (from: RequestStatus, to: ReportedStatus) =>
  conflict('checkpoint_request_state_conflict', `The attempt is ${from}; it cannot become ${to}.`);
