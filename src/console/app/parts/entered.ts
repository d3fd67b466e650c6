/** What a field for numbers holds: a text as long as the number is not written as usual, such as `50.`. */
export type Entered = string | number;

/** @returns null if the field is empty, and NaN if it holds no number */
export const someNumber = (entered: Entered): number | null => {
  const text = String(entered).trim();
  return text === '' ? null : Number(text);
};

/** What the user must correct, if a field holds no number. */
export const numberMissing = (...numbers: readonly (number | null)[]): string | undefined =>
  numbers.every((number) => number === null || Number.isFinite(number))
    ? undefined
    : 'Enter numbers, such as 50 or 0.5.';
