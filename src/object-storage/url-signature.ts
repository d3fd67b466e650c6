import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../common/problem';

/** A signature is good for one of them; whoever may GET an object may ask for its head. */
export type SignedMethod = 'GET' | 'PUT';

const digestOf = (secret: Buffer, method: SignedMethod, key: string, expires: number): Buffer =>
  createHmac('sha256', secret).update(`${method}\n${key}\n${expires}`).digest();

/** @param expires seconds since 1970 */
export const signedQuery = (secret: Buffer, method: SignedMethod, key: string, expires: number): string =>
  `expires=${expires}&signature=${digestOf(secret, method, key, expires).toString('hex')}`;

export const signatureInvalid = (): Problem =>
  new Problem(403, 'signature_invalid', 'This address was not signed by this service, or was altered.');

export interface ToldSignature {
  readonly expires?: unknown;
  readonly signature?: unknown;
}

/** @throws 403 where method, key or moment is not what was signed, or the moment has passed */
export function checkSignature(
  secret: Buffer,
  method: SignedMethod,
  key: string,
  { expires, signature }: ToldSignature,
  now: Date,
): void {
  const told = typeof signature === 'string' && /^[0-9a-f]{64}$/.test(signature) ? Buffer.from(signature, 'hex') : null;
  const until = typeof expires === 'string' && /^[1-9]\d{0,11}$/.test(expires) ? Number(expires) : NaN;
  if (told === null || Number.isNaN(until) || !timingSafeEqual(told, digestOf(secret, method, key, until)))
    throw signatureInvalid();
  if (now.getTime() >= until * 1_000) throw new Problem(403, 'signature_expired', 'This address has expired.');
}
