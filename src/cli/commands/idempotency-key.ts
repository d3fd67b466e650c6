import { usage } from '../failures';

/** What the service accepts. */
const KEY = /^[\x21-\x7e]{1,255}$/;

export function idempotencyKey(text: string): string {
  if (KEY.test(text)) return text;
  throw usage(`--idempotency-key: "${text}" is not 1 to 255 visible ASCII characters.`);
}
