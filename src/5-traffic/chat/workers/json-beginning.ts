import { jsonIfAny } from '../../../1-platform/common/json/json';

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/**
 * What the beginning of a JSON text says: a text that is cut off ends where it was cut, and an incomplete
 * member or element is left out.
 */
export function beginningOfJson(json: string): unknown {
  const closing: string[] = [];
  /** Up to here, the values are whole. */
  let wholeUntil = 0;
  /** The last sign outside of texts. */
  let before = '';
  let isText = false;
  let escapeAt = -1;
  let isValue = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at]!;
    if (isText) {
      if (sign === '\\') escapeAt = at++;
      else if (sign === '"') isText = false;
      continue;
    }
    if (sign === '"') {
      isText = true;
      isValue = before === ':' || before === '[' || (before === ',' && closing.at(-1) === ']');
    } else if (sign === '{' || sign === '[') {
      closing.push(CLOSING[sign]!);
      wholeUntil = at + 1;
    } else if (sign === '}' || sign === ']') {
      closing.pop();
      wholeUntil = at + 1;
    } else if (sign === ',') wholeUntil = at;
    if (sign.trim() !== '') before = sign;
  }
  const ends = closing.toReversed().join('');
  const escapeLength = json[escapeAt + 1] === 'u' ? 6 : 2;
  const isCutEscape = escapeAt >= 0 && escapeAt + escapeLength > json.length;
  const text =
    isText && isValue ? jsonIfAny(`${json.slice(0, isCutEscape ? escapeAt : undefined)}"${ends}`) : undefined;
  return text ?? jsonIfAny(json.slice(0, wholeUntil) + ends);
}
