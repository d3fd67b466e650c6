import { invalidField, notFound } from '../../1-platform/common/answers/problem';

export const windowNotFound = () => notFound('maintenance_window_not_found', 'No such maintenance window.');
export const endsBeforeItStarts = () => invalidField('end_time', 'must be after start_time');
export const noReservations = () => invalidField('maintenance_windows', 'is required, or reservations instead');
