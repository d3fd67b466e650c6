/** Characters that a terminal obeys instead of showing them, and those that turn the direction of a line. */
const OBEYED = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
/** In JSON, those of the first 32 are escaped already. */
const OBEYED_IN_JSON = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/**
 * A text of the service as a terminal may get it. Names and messages come from workloads, and could otherwise
 * move the cursor, change the title or answer for the user.
 */
export const shown = (text: string): string => text.replace(OBEYED, escaped);

/** A document that stays the same for programs. */
export const shownJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    OBEYED_IN_JSON,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );

const PLAIN = /^[\x20-\x7e]*$/;
/** Two columns wide in terminals: East Asian scripts and pictures. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

let segmenter: Intl.Segmenter | undefined;

const charactersOf = (text: string): string[] => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
};

const widthOfCharacter = (character: string): number => (WIDE.test(character) ? 2 : 1);

/** How many columns a text takes. @param text as `shown` returns it */
export const widthOf = (text: string): number =>
  PLAIN.test(text) ? text.length : charactersOf(text).reduce((sum, character) => sum + widthOfCharacter(character), 0);

/** The beginning of a text, with `…` where it was cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (PLAIN.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let taken = '';
  let left = width - 1;
  for (const character of charactersOf(text)) {
    left -= widthOfCharacter(character);
    if (left < 0) break;
    taken += character;
  }
  return `${taken}…`;
}
