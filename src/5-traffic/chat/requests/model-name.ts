const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Maximal bytes that are searched. */
export const MODEL_WITHIN_BYTES = 256 * 1024;

/**
 * The model that a body names, without parsing the body: for requests that are refused before that.
 * @returns undefined if the start of the body does not contain it
 */
export const modelName = (body: Buffer | undefined): string | undefined => modelNames(body).at(-1);

/** As almost everybody spells it. */
const MODEL_NAME = '"model"';

/** The models that the start of a body names. A request is for the last one, as parsers read it. */
export function modelNames(body: Buffer | undefined): string[] {
  const names: string[] = [];
  if (!body) return names;
  const bytes = body.subarray(0, MODEL_WITHIN_BYTES);
  let depth = 0;
  let isModel = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) {
      const end = endOfString(bytes, at);
      if (end < 0) return names;
      const isName = depth === 1 && nextByte(bytes, end) === COLON;
      const isRead: boolean = depth === 1 && (isModel || isName);
      const read: string | undefined = isRead ? text(bytes, at, end) : undefined;
      if (isModel && !isName && read !== undefined) {
        names.push(read);
        // Usually no other one follows, and the rest need not be read character by character.
        if (!bytes.includes(MODEL_NAME, end)) return names;
      }
      isModel = isName && read === 'model';
      at = end - 1;
    } else if (OPENING.has(byte)) depth++;
    else if (CLOSING.has(byte)) depth--;
  }
  return names;
}

/** The index after the closing quote; -1 if the string does not end here. */
function endOfString(bytes: Buffer, from: number): number {
  for (let at = from + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  return -1;
}

function nextByte(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while ((bytes[at] ?? Infinity) <= 0x20) at++;
  return bytes[at];
}

function text(bytes: Buffer, from: number, to: number): string | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', from, to)) as string;
  } catch {
    return undefined;
  }
}
