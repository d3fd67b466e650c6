import { createHash, randomBytes } from 'node:crypto';

/** Makes a token recognisable to people and to scanners for leaked secrets. */
const PREFIX = 'ccp_';

/** As clients of model APIs expect of a key. */
export const KEY_PREFIX = 'sk-';

const secret = (): string => randomBytes(32).toString('base64url');

/** A new bearer with 256 bits of randomness. */
export const newToken = (): string => PREFIX + secret();

/** A new inference key, as random. */
export const newKey = (): string => KEY_PREFIX + secret();

/** What is stored and looked up. The bearer itself goes no further than this function. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
