/** A whole statement and a whole plan are shorter. */
const LONGEST_TEXT = 60_000;
/** Of a literal, or of the arguments of a function. */
const LONGEST_PART = 80;

/** A literal of PostgreSQL, also one that was cut. A quote within it is doubled. */
const LITERAL = /'(?:[^']|'')*(?:'|$)/g;
/** The arguments of one function of a node, or of several, which also may be cut. */
const CALLS = /^( *Function Call: )(.*)$/gm;

export const cut = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}\n…` : text);

/** A plan without its long values, which would hide it. */
export const legible = (plan: string): string =>
  cut(
    plan
      .replaceAll(LITERAL, (literal) => (literal.length > LONGEST_PART ? "'…'" : literal))
      .replaceAll(CALLS, (line, head: string, calls: string) =>
        calls.length > LONGEST_PART ? `${head}${calls.slice(0, LONGEST_PART)}…` : line,
      ),
  );
