/**
 * An SQL expression for the bytes that columns of a row take in an answer, where a quote takes two bytes.
 * Both arguments are constants of the code.
 */
export const textBytes = (row: string, columns: readonly string[]): string =>
  `octet_length(to_json(concat(${columns.map((name) => `${row}.${name}`).join(', ')}))::text)`;
