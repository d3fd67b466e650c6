import { conflict, notFound } from '../common/answers/problem';

export const organisationNotFound = () => notFound('organisation_not_found', 'No such organisation.');
export const organisationExists = () => conflict('organisation_exists', 'An organisation with that name exists.');
