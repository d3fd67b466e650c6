import { newId } from '../../common/ids';
import { nextSlice, sliceIsOver } from '../../common/work/slices';

/**
 * Rows per statement. PostgreSQL parses 5,000 pods in half the time if they come in parts that fit its
 * memory.
 */
const MAX_ROWS = 500;

/** Characters of one statement's rows; a larger single row stands alone. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

export interface JsonPart<Row> {
  readonly rows: readonly Row[];
  /** An array of the rows. */
  readonly json: string;
}

/** Each row with a new id, created on demand. */
export function* withIds<Row extends object>(rows: Iterable<Row>): Iterable<Row & { id: string }> {
  for (const row of rows) yield { id: newId(), ...row };
}

/** Rows in parts of a suitable size. They are written as JSON in slices. */
export async function* jsonParts<Row extends object>(rows: Iterable<Row>): AsyncGenerator<JsonPart<Row>> {
  let part: Row[] = [];
  let texts: string[] = [];
  let characters = 0;
  const whole = (): JsonPart<Row> => ({ rows: part, json: `[${texts.join()}]` });
  for (const row of rows) {
    if (sliceIsOver()) await nextSlice();
    const text = JSON.stringify(row);
    if (part.length > 0 && (part.length === MAX_ROWS || characters + text.length > MAX_CHARACTERS)) {
      yield whole();
      [part, texts, characters] = [[], [], 0];
    }
    part.push(row);
    texts.push(text);
    characters += text.length;
  }
  if (part.length > 0) yield whole();
}
