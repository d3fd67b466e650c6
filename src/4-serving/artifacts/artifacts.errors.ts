import { conflict, forbidden, notFound } from '../../1-platform/common/answers/problem';

export const artifactNotFound = () => notFound('artifact_not_found', 'No such artefact.');
export const artifactExists = (members: readonly string[]) =>
  conflict('artifact_exists', `An artefact of this id is registered with another ${members.join(', ')}.`);
export const artifactDeleted = () => conflict('artifact_deleted', 'The artefact is deleted, which is final.');
export const artifactExpired = () =>
  conflict(
    'artifact_expired',
    'The bytes of the artefact have expired. Only a controller may report them as ready again.',
  );
export const notYoursToSet = (member: string, who: string) => forbidden(`Only ${who} may set ${member}.`);
export const artifactGolden = () =>
  conflict('artifact_golden', 'The artefact is golden. Deleting it needs force=true.');
export const artifactHasChildren = (child: string) =>
  conflict('artifact_has_children', `The artefact ${child} needs this one. Deleting it needs force=true.`);
export const artifactNotUsable = (status: string) =>
  conflict('artifact_not_usable', `The artefact is ${status}. Only a ready or golden artefact can be promoted.`);
export const noPromotion = () => conflict('no_promotion_pending', 'No promotion of the artefact is pending.');
