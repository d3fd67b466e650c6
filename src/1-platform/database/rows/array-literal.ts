/**
 * Writes an array in PostgreSQL's notation. The driver's own writer checks the type of each element, which
 * takes several times as long.
 */
export function arrayLiteral(elements: readonly (string | number | boolean | null)[]): string {
  let written = '';
  for (const element of elements) {
    const text = element === null ? 'NULL' : typeof element === 'string' ? quoted(element) : String(element);
    written += written === '' ? text : `,${text}`;
  }
  return `{${written}}`;
}

const quoted = (text: string): string => `"${/["\\]/.test(text) ? text.replace(/["\\]/g, '\\$&') : text}"`;
