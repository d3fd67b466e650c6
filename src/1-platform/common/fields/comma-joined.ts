import { isUuid } from '../ids';
import { invalidField } from '../answers/problem';

/** Maximum number of ids in one parameter. */
export const MAX_JOINED_IDS = 1_000;

/**
 * Maximum number of UUIDs in one parameter. The request line and all headers may have 16 KB together: some
 * 405 UUIDs with escaped commas, which take 39 bytes each, or 430 with plain ones. Agents of earlier releases
 * name as many as fit, and remove nothing if they are refused.
 */
export const MAX_JOINED_UUIDS = 450;

/** Of the text of such a parameter, which may have spaces. */
export const MAX_JOINED_UUIDS_TEXT = 40 * MAX_JOINED_UUIDS;

/**
 * Ids of a query parameter. An empty parameter counts as missing, but an empty id among others is a fault.
 * @param read one id, or undefined if it is invalid
 * @param what the requirement, for the error message
 * @param max how many there may be
 * @returns undefined if the parameter is missing, which selects all
 */
export function commaJoined<Id>(
  name: string,
  text: string | undefined,
  read: (id: string) => Id | undefined,
  what: string,
  max = MAX_JOINED_IDS,
): Id[] | undefined {
  if (text === undefined || text === '') return undefined;
  const parts = text.split(',').map((id) => id.trim());
  const ids = parts.map((id) => (id === '' ? undefined : read(id))).filter((id) => id !== undefined);
  if (parts.length > max || ids.length < parts.length)
    throw invalidField(name, `must be at most ${max} ${what}, separated by commas`);
  return ids;
}

/** Ids of any kind. */
export const joinedIds = (name: string, text: string | undefined): string[] | undefined =>
  commaJoined(name, text, (id) => id, 'ids');

export const joinedUuids = (name: string, text: string | undefined): string[] | undefined =>
  commaJoined(name, text, (id) => (isUuid(id) ? id : undefined), 'UUIDs', MAX_JOINED_UUIDS);
