/**
 * Bytes that columns of a row take in an answer, as an expression of SQL. Measured as they are written there:
 * a quote takes two bytes. Both are constants of the code.
 */
export const textBytes = (row: string, columns: readonly string[]): string =>
  `octet_length(to_json(concat(${columns.map((name) => `${row}.${name}`).join(', ')}))::text)`;
