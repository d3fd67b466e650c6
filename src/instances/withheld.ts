/** Characters in a row that a secret and a text have in common before the text counts as telling it. */
const TELLING = 6;

/**
 * Whether a text shows a secret, or a piece of one. Told of too many texts rather than of too few: a text that is withheld
 * costs an explanation.
 */
export function tells(text: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => {
    if (secret === '') return false;
    if (secret.length <= TELLING) return text.includes(secret);
    for (let at = 0; at + TELLING <= text.length; at++) if (secret.includes(text.slice(at, at + TELLING))) return true;
    return false;
  });
}
