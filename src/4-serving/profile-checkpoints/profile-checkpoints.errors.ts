import { conflict, notFound } from '../../1-platform/common/answers/problem';
import type { RequestStatus, ToldStatus } from './profile-checkpoint.states';

export const neverRequested = () =>
  notFound('checkpoint_request_not_found', 'No checkpoint or restart of the profile was ever asked for.');
export const profileDoesNotCheckpoint = () =>
  conflict(
    'profile_does_not_checkpoint',
    'Workers of the profile are not checkpointed: see its hosting_mode and spec.',
  );
export const nothingToRestore = () =>
  conflict('nothing_to_restore', 'No artefact of the profile can be restored from.');
export const anotherAttempt = () =>
  conflict('another_attempt', 'The attempt that is reported on is not the last one; nothing was changed.');
export const anotherArtifact = () =>
  conflict('another_artifact', 'The attempt is known to have produced another artefact.');
export const requestMovesBack = (from: RequestStatus, to: ToldStatus) =>
  conflict('checkpoint_request_state_conflict', `The attempt is ${from}; it does not become ${to}.`);
