import { conflict, notFound } from '../../1-platform/common/answers/problem';

export const profileNotFound = () => notFound('profile_not_found', 'No such profile.');
export const anotherProfile = () =>
  conflict('profile_exists', 'Another profile has this id. Profiles do not change: choose another id.');

/** Foreign keys to profiles are called `<table>_profile_fkey`. */
export const isProfileReference = (constraint: string | undefined): boolean =>
  constraint?.endsWith('_profile_fkey') === true;
