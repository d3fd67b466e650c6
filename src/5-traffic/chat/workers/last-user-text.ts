import type { Steps } from '../../../1-platform/common/work/slices';
import { JsonScan, kindOf, membersOf, MOST_BYTES_PER_UNIT, scanned, STEP_BYTES } from './json-scan';

/** Maximal characters of the text. */
const MAX_SHOWN = 8_192;

const OF_MESSAGE: ReadonlySet<string> = new Set(['role', 'content']);
const OF_PART: ReadonlySet<string> = new Set(['text']);

/**
 * The end of the user's last text: pictures and tools matter little for the tier. Of a large request only the
 * returned part is decoded.
 * @param said the JSON text of the messages, or of the endpoint's counterpart
 */
export function* lastUserText(said: Buffer): Steps<string> {
  if (kindOf(said[0]) !== 'array') return yield* shownOf(said);
  // From the last text on: earlier text is not the last.
  const places: number[] = [];
  const scan = new JsonScan(said, (start, end) => {
    const kind = kindOf(said[start]);
    if (kind === 'string') places.length = 0;
    if (kind === 'string' || kind === 'object') places.push(start, end);
  });
  yield* scanned(scan);
  for (let place = places.length - 2; place >= 0; place -= 2) {
    const one = said.subarray(places[place], places[place + 1]);
    if (kindOf(one[0]) === 'string') return yield* endOfText(one);
    const role = yield* memberOf(one, 'role');
    if (role && isText(role, 'user')) return yield* shownOf(one);
    yield;
  }
  return '';
}

/** @param value a message, or its content */
function* shownOf(value: Buffer): Steps<string> {
  const content = kindOf(value[0]) === 'object' ? yield* memberOf(value, 'content') : value;
  if (!content) return '';
  const kind = kindOf(content[0]);
  return kind === 'string' ? yield* endOfText(content) : kind === 'array' ? yield* endOfParts(content) : '';
}

/** The texts of the parts, in lines. */
function* endOfParts(parts: Buffer): Steps<string> {
  // A part takes at least one character: a line end.
  const places: number[] = [];
  const scan = new JsonScan(parts, (start, end) => {
    places.push(start, end);
    if (places.length > 4 * MAX_SHOWN) places.splice(0, 2 * MAX_SHOWN);
  });
  yield* scanned(scan);
  const texts: string[] = [];
  let length = -1;
  for (let place = places.length - 2; place >= 0 && length < MAX_SHOWN; place -= 2) {
    const part = parts.subarray(places[place], places[place + 1]);
    const text = kindOf(part[0]) === 'object' ? yield* memberOf(part, 'text') : undefined;
    const shown = text && kindOf(text[0]) === 'string' ? yield* endOfText(text) : '';
    texts.push(shown);
    length += shown.length + 1;
    yield;
  }
  return texts.reverse().join('\n').slice(-MAX_SHOWN);
}

/** @returns the last one with this name, as JSON parsers take it */
function* memberOf(object: Buffer, name: string): Steps<Buffer | undefined> {
  const members = yield* membersOf(object, name === 'text' ? OF_PART : OF_MESSAGE);
  if (typeof members === 'string') return undefined;
  const member = members.wanted.findLast((one) => one.name === name);
  return member && object.subarray(member.start, member.end);
}

/** @param text a JSON string, with its quotes */
function* endOfText(text: Buffer): Steps<string> {
  const enough = text.length - 1 - MAX_SHOWN * MOST_BYTES_PER_UNIT;
  let from = 1;
  if (enough > from) {
    // From the start of the text: escapes can only be recognised from there.
    const scan = new JsonScan(text);
    while (scan.at < enough) {
      scan.advance(Math.min(STEP_BYTES, enough - scan.at));
      yield;
    }
    from = scan.at;
    // Not within a character of several bytes.
    while (((text[from] ?? 0) & 0xc0) === 0x80) from++;
  }
  return (JSON.parse(`"${text.toString('utf8', from)}`) as string).slice(-MAX_SHOWN);
}

const isText = (json: Buffer, text: string): boolean =>
  kindOf(json[0]) === 'string' &&
  json.length <= text.length * MOST_BYTES_PER_UNIT + 2 &&
  JSON.parse(json.toString('utf8')) === text;
