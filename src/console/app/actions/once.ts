/**
 * The header with which the service does a request once. It refuses a key that comes again with another body,
 * so each body has a key of its own.
 */
export type Once = (body?: unknown) => { readonly 'Idempotency-Key': string };

const KEY_BYTES = 16;

/** `crypto.randomUUID` is missing where the address is not secure. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(KEY_BYTES))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * For as long as a dialog is open: a body that is sent again, because nobody knows what became of it, has the
 * key that it had before.
 */
export function newOnce(): Once {
  const keys = new Map<string, string>();
  return (body = null) => {
    const sent = JSON.stringify(body);
    const key = keys.get(sent) ?? newKey();
    keys.set(sent, key);
    return { 'Idempotency-Key': key };
  };
}
