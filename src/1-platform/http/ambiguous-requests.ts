import type { IncomingMessage } from 'node:http';

/**
 * Headers that a request may have once. Of several, Node takes the first one, and a proxy may take another.
 * Node itself refuses several lengths.
 */
const SINGLE: ReadonlyMap<string, string> = new Map(
  ['Host', 'Authorization', 'Content-Type'].map((name) => [name.toLowerCase(), name]),
);
const LENGTHS: ReadonlySet<number> = new Set([...SINGLE.keys()].map((name) => name.length));

/**
 * What proxies and this service could interpret differently: who asks, for what, or where the request ends.
 * The connection must not be used after such a request.
 */
export function ambiguityOf({ httpVersion, headers, rawHeaders, url = '' }: IncomingMessage): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'The version of HTTP must be 1.1 or 1.0.';
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (httpVersion === '1.0') return 'HTTP/1.0 has no Transfer-Encoding.';
    if (coding.toLowerCase() !== 'chunked') return 'The only Transfer-Encoding is chunked.';
  }
  if (!url.startsWith('/')) return 'The request target must be a path.';
  let seen: string[] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] as string;
    // Nearly all other headers, without a lower-case copy.
    if (!LENGTHS.has(raw.length)) continue;
    const name = raw.toLowerCase();
    if (!SINGLE.has(name)) continue;
    if (seen?.includes(name)) return `More than one ${SINGLE.get(name)} header.`;
    (seen ??= []).push(name);
  }
  return undefined;
}
