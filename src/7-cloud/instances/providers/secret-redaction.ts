/** A text that shares this many consecutive characters with a secret counts as containing it. */
const REVEALING = 6;

/** Beyond so many characters of secrets, such as a long script, no text is searched for them. */
const MAX_SEARCHED = 64 * 1_024;

/** As it can be stored and shown in one line: PostgreSQL stores neither NUL nor half a surrogate pair. */
export const plain = (text: string): string => text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');

/** The encodings in which others may repeat a secret. */
const spellings = (secret: string): string[] => [
  plain(secret),
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
  Buffer.from(secret).toString('base64'),
];

/**
 * Whether a plain text contains a secret, or a piece of one. In doubt it does: withholding a text costs only
 * an explanation. Each character of a secret is looked at once, because nothing else runs meanwhile.
 */
export function containsSecret(text: string, secrets: readonly string[]): boolean {
  if (secrets.reduce((sum, { length }) => sum + length, 0) > MAX_SEARCHED) return true;
  const pieces = new Set<string>();
  for (let at = 0; at + REVEALING <= text.length; at++) pieces.add(text.slice(at, at + REVEALING));
  return secrets.flatMap(spellings).some((secret) => {
    if (secret === '') return false;
    if (secret.length <= REVEALING) return text.includes(secret);
    for (let at = 0; at + REVEALING <= secret.length; at++)
      if (pieces.has(secret.slice(at, at + REVEALING))) return true;
    return false;
  });
}
