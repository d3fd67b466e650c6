import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 6;
const OWNER = /^.{36}-([0-9a-f]{16})[0-9a-f]{12}$/;

/** A new name for the draft of a checkpoint: its id, who takes it, and what no other draft has. */
export const draftName = (id: string, owner = ''): string =>
  `${id}-${owner}${randomBytes(RANDOM_BYTES).toString('hex')}`;

/** Whether it is one of this owner, who has no other one when the next one begins. */
export const isDraftOf = (name: string, owner: string | undefined): boolean =>
  owner !== undefined && OWNER.exec(name)?.[1] === owner;

/** Those of this owner first: they are left whatever the time of the disk is, which may not be known. */
export const ownFirst = (names: readonly string[], owner: string | undefined): string[] =>
  names.toSorted((one, other) => Number(isDraftOf(other, owner)) - Number(isDraftOf(one, owner)));
