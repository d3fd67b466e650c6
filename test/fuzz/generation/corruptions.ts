import { isObject, LEFT_OUT, placesIn, print, RawText, replaced, type Json } from './json-text';

type Corrupted = Json | typeof LEFT_OUT;

const raw = (text: string): RawText => new RawText(text);
const always = (value: Corrupted) => (): Corrupted => value;
const nested = (depth: number): RawText => raw('['.repeat(depth) + ']'.repeat(depth));

/** What may come in place of a part of a body. The simplest come first: fast-check shrinks towards them. */
const CORRUPTIONS: Readonly<Record<string, (part: Json) => Corrupted>> = {
  'left out': always(LEFT_OUT),
  null: always(null),
  'empty text': always(''),
  zero: always(0),
  true: always(true),
  'empty array': always([]),
  'empty object': always({}),
  '-1': always(-1),
  '-0': always(raw('-0')),
  '1.5': always(1.5),
  '2^31 - 1': always(2 ** 31 - 1),
  '2^31': always(2 ** 31),
  '2^53 - 1': always(2 ** 53 - 1),
  '2^53': always(raw('9007199254740992')),
  '2^53 + 1': always(raw('9007199254740993')),
  '-2^53 - 1': always(raw('-9007199254740993')),
  '2^63 - 1': always(raw('9223372036854775807')),
  '2^63': always(raw('9223372036854775808')),
  '10^40': always(raw(`1${'0'.repeat(40)}`)),
  '1e308': always(1e308),
  '1e400': always(raw('1e400')),
  '5e-324': always(5e-324),
  '0.1 with 40 digits': always(raw(`0.1${'0'.repeat(38)}1`)),
  'an integer as a text': always('12'),
  space: always(' '),
  'a NUL': always('a\0b'),
  'a lone surrogate': always(raw('"a\\ud800b"')),
  'a turned pair of surrogates': always(raw('"\\udc00\\ud800"')),
  'a text beyond the first plane': always('\u{1f600}\u{10ffff}'),
  'control characters': always('\u0001\u001f\u007f\u0085\u2028'),
  'a combining text': always('e\u0301\u200d\u202e\ufeff'),
  quotes: always(`'"\`;--\\`),
  'a pattern of LIKE': always('%_\\%'),
  SQL: always("' or pg_sleep(3)--"),
  'a name of a prototype': always('__proto__'),
  '256 characters': always('x'.repeat(256)),
  '20,000 characters': always('y'.repeat(20_000)),
  'a UUID of zeros': always('00000000-0000-0000-0000-000000000000'),
  'a UUID in capitals': always('FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF'),
  'a UUID without hyphens': always('0123456789abcdef0123456789abcdef'),
  infinity: always('infinity'),
  now: always('now'),
  '30 February': always('2026-02-30T00:00:00Z'),
  'the year 0': always('0000-01-01T00:00:00Z'),
  'the year 275760': always('+275760-09-13T00:00:00.000Z'),
  'the last microsecond of the year 9999': always('9999-12-31T23:59:59.9999999Z'),
  'a leap second': always('2016-12-31T23:59:60Z'),
  'an offset of a day': always('2026-01-01T00:00:00+23:59'),
  'an address of metadata': always('http://169.254.169.254/latest'),
  'an address of a file': always('file:///etc/passwd'),
  'a directory above': always('../../etc/passwd'),
  'in an array': (part) => [part],
  'in an object': (part) => ({ value: part }),
  'as a text': (part) => print(part),
  'twice in an array': (part) => (Array.isArray(part) ? [...part, ...part] : [part, part]),
  'a thousand times in an array': (part) => Array<Json>(1_000).fill(Array.isArray(part) ? (part[0] ?? null) : part),
  'an unknown member': (part) => (isObject(part) ? { ...part, unknown_member: 1 } : part),
  'a member of the prototype': (part) => (isObject(part) ? withOwn(part, '__proto__', { polluted: true }) : part),
  'a member constructor': (part) => (isObject(part) ? withOwn(part, 'constructor', { prototype: {} }) : part),
  'an empty name': (part) => (isObject(part) ? { ...part, '': 1 } : part),
  'a NUL in a name': (part) => (isObject(part) ? { ...part, 'a\0b': 1 } : part),
  'a name of 300 characters': (part) => (isObject(part) ? { ...part, ['n'.repeat(300)]: 1 } : part),
  'a name twice': (part) => (isObject(part) ? raw(twice(part)) : part),
  '40 levels deep': always(nested(40)),
  '500 levels deep': always(nested(500)),
  '20,000 levels deep': always(nested(20_000)),
};

/** An own member, even if its name is that of the prototype. */
const withOwn = (part: Record<string, Json>, name: string, value: Json): Json =>
  Object.fromEntries([...Object.entries(part), [name, value]]) as Record<string, Json>;

function twice(part: Record<string, Json>): string {
  const [first] = Object.entries(part);
  if (!first) return '{"a":1,"a":2}';
  return `{${JSON.stringify(first[0])}:null,${print(part).slice(1)}`;
}

export const CORRUPTION_NAMES: readonly string[] = Object.keys(CORRUPTIONS);

/** What is corrupted in a body, and how. */
export interface Corruption {
  /** Modulo the number of parts. */
  readonly place: number;
  readonly how: string;
}

/** @returns undefined if the whole body is left out */
export function corrupted(body: Json, corruptions: readonly Corruption[]): Json | undefined {
  let current = body;
  for (const { place, how } of corruptions) {
    const places = placesIn(current);
    const found = places[place % places.length] ?? [];
    const next = replaced(current, found, CORRUPTIONS[how] ?? ((part) => part));
    if (next === LEFT_OUT) return undefined;
    current = next;
  }
  return current;
}

/** Texts for parameters of the path and the query, percent-encoded as they are sent. */
export const ODD_TEXTS: readonly string[] = [
  '',
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  '2147483648',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '1e400',
  'NaN',
  'null',
  'true',
  'TRUE',
  '%20',
  '%00',
  'a%00b',
  '%C3%28',
  '%ED%A0%80',
  '%F0%9F%98%80',
  '%',
  '%zz',
  '%25',
  '%5F%25%5C',
  '%27%20or%20pg_sleep(3)--',
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  'a%2Fb',
  'a%5Cb',
  '__proto__',
  'constructor',
  'x'.repeat(256),
  'z'.repeat(5_000),
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF',
  '0123456789abcdef0123456789abcdef',
  'infinity',
  '2026-02-30',
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.9999999Z',
  '%2B275760-09-13T00:00:00Z',
  '%0D%0AX-Injected:%201',
  '%E2%80%AE',
  'a,b,,c',
  '%5B%5D',
];

/** Headers that replace or join those of a request. Every value is printable by HTTP. */
export const ODD_HEADERS: readonly (readonly [string, string])[] = [
  ['accept', 'text/html'],
  ['accept', 'application/json;q=zero'],
  ['accept-encoding', 'gzip;q=2, br;q=-1, x'],
  ['content-type', 'text/plain'],
  ['content-type', 'application/json; charset=utf-7'],
  ['content-type', 'application/json; charset=latin1'],
  ['content-type', 'application/x-www-form-urlencoded'],
  ['content-type', 'multipart/form-data; boundary=x'],
  ['content-type', ';;;'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'br'],
  ['content-encoding', 'unknown'],
  ['idempotency-key', ''],
  ['idempotency-key', 'k'.repeat(256)],
  ['idempotency-key', '\u00e4\u00ff'],
  ['if-none-match', '*'],
  ['if-none-match', 'W/"'],
  ['x-request-timeout-ms', '-1'],
  ['x-request-timeout-ms', '1e3'],
  ['x-request-timeout-ms', '99999999999999999999'],
  ['x-experiment-id', "' or 1=1--"],
  ['x-request-id', 'r'.repeat(4_000)],
  ['x-request-id', '\u00ff"\\'],
  ['traceparent', '00-zz-zz-zz'],
  ['traceparent', '00-00000000000000000000000000000000-0000000000000000-00'],
  ['tracestate', `${'a=b,'.repeat(200)}`],
  ['baggage', 'a=%ff'],
  ['expect', '200-maybe'],
  ['range', 'bytes=9-1'],
  ['host', 'evil.example:1'],
  ['x-forwarded-host', 'evil.example'],
  ['x-http-method-override', 'DELETE'],
  ['origin', 'null'],
  ['cookie', '__proto__=1'],
];
