/**
 * A thread that converts YAML into JSON: the parser takes a second for a document of some hundred kilobytes,
 * and cannot be interrupted. It imports nothing of the service.
 */
import { parentPort } from 'node:worker_threads';
import { isScalar, parseDocument, visit, type YAMLMap } from 'yaml';

// The library compares every key of a mapping with every other one, which takes seconds for a long mapping:
// see `refuseTwice`. A formatted error searches its line from the start of the text, and there may be an
// error for every character. Integers as they are: see `withJsonNumbers`.
const OPTIONS = {
  version: '1.2',
  schema: 'core',
  uniqueKeys: false,
  prettyErrors: false,
  // Otherwise the parser would accept a second document.
  logLevel: 'error',
  intAsBigInt: true,
} as const;

/** Few aliases, because a short document can expand to gigabytes. */
const MAX_ALIASES = 20;

function toJson(text: string): string {
  const document = parseDocument(text, OPTIONS);
  const [error] = document.errors;
  if (error) throw error;
  visit(document, { Map: (_key, mapping) => refuseTwice(mapping) });
  return JSON.stringify(withJsonNumbers(document.toJS({ maxAliasCount: MAX_ALIASES }))) ?? 'null';
}

function refuseTwice({ items }: YAMLMap): void {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) throw new TypeError('a key stands twice');
    seen.add(name);
  }
}

/** The same document as in JSON: integers that a double cannot hold keep their digits. */
function withJsonNumbers(value: unknown): unknown {
  if (typeof value === 'bigint')
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(value.toString());
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a number of JSON');
  if (Array.isArray(value)) return value.map(withJsonNumbers);
  if (typeof value !== 'object' || value === null) return value;
  // Values of directives or tags (a date, a set, bytes) do not exist in JSON.
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('not a value of JSON');
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withJsonNumbers(member)]));
}

parentPort?.on('message', (text: string) => {
  try {
    parentPort?.postMessage({ json: toJson(text) });
  } catch {
    parentPort?.postMessage({});
  }
});
