/** Characters in a row that a secret and a text have in common before the text counts as telling it. */
const TELLING = 6;

/** As it can be kept and shown in one line: PostgreSQL keeps neither NUL nor half a pair of surrogates. */
export const plain = (text: string): string => text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');

/** The ways in which others write a secret that they repeat. */
const spellings = (secret: string): string[] => [
  plain(secret),
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
  Buffer.from(secret).toString('base64'),
];

/**
 * Whether a plain text shows a secret, or a piece of one. Told of too many texts rather than of too
 * few: a text that is withheld costs an explanation.
 */
export function tells(text: string, secrets: readonly string[]): boolean {
  return secrets.flatMap(spellings).some((secret) => {
    if (secret === '') return false;
    if (secret.length <= TELLING) return text.includes(secret);
    for (let at = 0; at + TELLING <= text.length; at++) if (secret.includes(text.slice(at, at + TELLING))) return true;
    return false;
  });
}
