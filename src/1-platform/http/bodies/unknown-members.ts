import type { Response } from 'express';
import type { UnknownMembers } from '../../common/fields/field-rules';

interface Declared {
  readonly members: UnknownMembers;
  readonly response: Response;
}

/** Maximum length of a member's name in the header. */
const MAX_NAME = 100;

/** A pipe sees the body, but neither its operation nor its response. */
const declared = new WeakMap<object, Declared>();

/** How the operation of a body handles unknown members. */
export function declareUnknownMembers(body: object, members: UnknownMembers, response: Response): void {
  declared.set(body, { members, response });
}

export const unknownMembersOf = (body: object): UnknownMembers => declared.get(body)?.members ?? 'refused';

/**
 * Names the members in `X-Ignored-Members`; characters that a list in a header cannot hold are
 * percent-encoded.
 */
export function nameIgnoredMembers(body: object, names: readonly string[]): void {
  if (names.length === 0) return;
  const encoded = names.map((name) =>
    encodeURIComponent(name.slice(0, MAX_NAME).toWellFormed()).replaceAll('%5B%5D', '[]'),
  );
  declared.get(body)?.response.setHeader('x-ignored-members', encoded.join(', '));
}
