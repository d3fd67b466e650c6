import { isUuid } from '../ids';
import { invalidField } from '../answers/problem';

/** Ids that one parameter names at the most. */
export const MAX_JOINED_IDS = 1_000;

/**
 * Ids of a query parameter. An empty parameter is one that was
 * left out, but an empty id among others is a fault.
 * @param read one id, or undefined where it is none
 * @param what they are, for who gave something else
 * @returns undefined when the parameter was left out, which asks for all
 */
export function commaJoined<Id>(
  name: string,
  text: string | undefined,
  read: (id: string) => Id | undefined,
  what: string,
): Id[] | undefined {
  if (text === undefined || text === '') return undefined;
  const told = text.split(',').map((id) => id.trim());
  const ids = told.map((id) => (id === '' ? undefined : read(id))).filter((id) => id !== undefined);
  if (told.length > MAX_JOINED_IDS || ids.length < told.length)
    throw invalidField(name, `must be at most ${MAX_JOINED_IDS} ${what}, separated by commas`);
  return ids;
}

/** Ids of any kind. */
export const joinedIds = (name: string, text: string | undefined): string[] | undefined =>
  commaJoined(name, text, (id) => id, 'ids');

export const joinedUuids = (name: string, text: string | undefined): string[] | undefined =>
  commaJoined(name, text, (id) => (isUuid(id) ? id : undefined), 'UUIDs');
