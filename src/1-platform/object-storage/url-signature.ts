import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../common/answers/problem';

/** A signature is valid for one of them; an address for GET also accepts HEAD. */
export type SignedMethod = 'GET' | 'PUT';

/** What an address is signed for. */
export interface Signed {
  readonly method: SignedMethod;
  readonly key: string;
  /** Identifies the bytes to serve; undefined for an upload. */
  readonly tag: string | undefined;
}

const digestOf = (secret: Buffer, { method, key, tag = '' }: Signed, expires: number): Buffer =>
  createHmac('sha256', secret).update([method, key, tag, expires].join('\n')).digest();

/** @param expires seconds since 1970 */
export const signedQuery = (secret: Buffer, signed: Signed, expires: number): string => {
  const signature = digestOf(secret, signed, expires).toString('hex');
  return `${signed.tag === undefined ? '' : `tag=${signed.tag}&`}expires=${expires}&signature=${signature}`;
};

export const signatureInvalid = (): Problem =>
  new Problem(403, 'signature_invalid', 'This address was not signed by this service, or was altered.');

export interface ClaimedSignature {
  readonly tag?: unknown;
  readonly expires?: unknown;
  readonly signature?: unknown;
}

/** @throws 403 if the signature does not match, or has expired */
export function checkSignature(
  secret: Buffer,
  signed: Signed,
  { expires, signature }: ClaimedSignature,
  now: Date,
): void {
  const claimed =
    typeof signature === 'string' && /^[0-9a-f]{64}$/.test(signature) ? Buffer.from(signature, 'hex') : null;
  const until = typeof expires === 'string' && /^[1-9]\d{0,11}$/.test(expires) ? Number(expires) : NaN;
  if (claimed === null || Number.isNaN(until) || !timingSafeEqual(claimed, digestOf(secret, signed, until)))
    throw signatureInvalid();
  if (now.getTime() >= until * 1_000) throw new Problem(403, 'signature_expired', 'This address has expired.');
}
