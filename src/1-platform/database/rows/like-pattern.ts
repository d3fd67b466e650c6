/** A pattern for `like` or `ilike`: `%` and `_` in a search text are ordinary. Null matches everything. */
export const likeContaining = (text: string | undefined): string | null =>
  text === undefined ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
