import { createHash, randomBytes } from 'node:crypto';

/** A prefix by which people and secret scanners recognise a token. */
const PREFIX = 'ccp_';

/** The prefix that clients of model APIs expect. */
export const KEY_PREFIX = 'sk-';

const secret = (): string => randomBytes(32).toString('base64url');

/** A new bearer with 256 bits of randomness. */
export const newToken = (): string => PREFIX + secret();

/** A new inference key, equally random. */
export const newKey = (): string => KEY_PREFIX + secret();

/** The digest that is stored and looked up. The bearer itself goes no further than this function. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
