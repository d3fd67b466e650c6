import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Stores an answer that contains a secret so that only its caller can read it again: the key is derived from
 * the bearer and the idempotency key of the request, and neither is stored.
 */
const keyOf = (bearer: string, idempotencyKey: string): Buffer =>
  Buffer.from(hkdfSync('sha256', bearer, idempotencyKey, 'idempotent answer', 32));

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function seal(answer: string, bearer: string, idempotencyKey: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(bearer, idempotencyKey), nonce);
  const sealed = Buffer.concat([cipher.update(answer, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @returns undefined if another bearer sealed it */
export function unseal(sealed: Buffer, bearer: string, idempotencyKey: string): string | undefined {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv('aes-256-gcm', keyOf(bearer, idempotencyKey), nonce, options).setAuthTag(tag);
    return decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
