import { createHash, randomBytes } from 'node:crypto';

/** Makes a token recognisable to people and to scanners for leaked secrets. */
const PREFIX = 'ccp_';

/** A new bearer with 256 bits of randomness. */
export const newToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** What is stored and looked up. The bearer itself goes no further than this function. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();
