import { conflict, forbidden, notFound } from '../../1-platform/common/answers/problem';
import type { ArtifactStatus, Tier } from './artifact.states';

export const artifactNotFound = () => notFound('artifact_not_found', 'No such artifact.');
export const artifactExists = (members: readonly string[]) =>
  conflict('artifact_exists', `An artifact of this id is registered with another ${members.join(', ')}.`);
export const artifactDeleted = () => conflict('artifact_deleted', 'The artifact is deleted, which is final.');
export const artifactExpired = () =>
  conflict(
    'artifact_expired',
    'The bytes of the artifact have expired. Only a controller may report them as ready again.',
  );
export const artifactNotGone = (status: ArtifactStatus) =>
  conflict(
    'artifact_not_gone',
    `The artifact is ${status}. Only the removal of a deleted or expired one can be confirmed.`,
  );
export const notYoursToSet = (member: string, who: string) => forbidden(`Only ${who} may set ${member}.`);
export const artifactGolden = () =>
  conflict('artifact_golden', 'The artifact is golden. Deleting it needs force=true.');
export const artifactHasChildren = (child: string) =>
  conflict('artifact_has_children', `The artifact ${child} needs this one. Deleting it needs force=true.`);
export const artifactNotUsable = (status: string) =>
  conflict('artifact_not_usable', `The artifact is ${status}. Only a ready or golden artifact can be promoted.`);
export const ancestryTooLarge = () =>
  conflict('ancestry_too_large', 'The chain of the artifact is too large for one answer. Read its parents one by one.');
export const noPromotion = (tier: Tier | null) =>
  conflict('no_promotion_pending', `No promotion of the artifact${tier === null ? '' : ` to ${tier}`} is pending.`);
