/** Recorded replies of an operation, by status, content type and name: `reply`, or the code of a problem. */
export type Replies = Record<string, Record<string, Record<string, unknown>>>;
