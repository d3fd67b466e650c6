import { isIP } from 'node:net';

/** An entry of `WORKER_ENDPOINT_ALLOW`; without a port it means every port. */
export type AllowedEndpoint =
  | { readonly kind: 'network'; readonly address: string; readonly prefix: number; readonly port?: number }
  | { readonly kind: 'host'; readonly host: string; readonly port?: number };

/** A name as resolvers accept it, without the dot of a fully qualified name. */
export const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * Reads `10.0.0.0/8`, `fd12::/16`, `10.0.0.7`, `::1`, `10.0.0.7:8000`, `[fd12::7]:8000`, `worker.svc` or
 * `worker.svc:8000`.
 * @returns undefined for any other text
 */
export function allowedEndpoint(text: string): AllowedEndpoint | undefined {
  if (isIP(text) !== 0) return network(text);
  const [, subnet, bits] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (subnet !== undefined) return network(subnet, Number(bits));
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^\s:[\]/?#@\\]+))(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65_535) return undefined;
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? network(bracketed, undefined, port) : undefined;
  if (plain === undefined) return undefined;
  return isIP(plain) === 4 ? network(plain, undefined, port) : named(plain, port);
}

function network(address: string, prefix?: number, port?: number): AllowedEndpoint | undefined {
  const family = address.includes('%') ? 0 : isIP(address);
  const bits = family === 4 ? 32 : 128;
  if (family === 0 || (prefix ?? 0) > bits) return undefined;
  return { kind: 'network', address, prefix: prefix ?? bits, ...(port === undefined ? {} : { port }) };
}

function named(text: string, port?: number): AllowedEndpoint | undefined {
  if (!URL.canParse(`http://${text}/`)) return undefined;
  // In the notation of a URL's host: lower case, and other scripts in ASCII.
  const { hostname } = new URL(`http://${text}/`);
  const host = hostname.replace(/\.$/, '');
  // To a URL, `127.1` and `0x7f000001` are addresses; an entry must write an address in full.
  if (isIP(host) !== 0 || !HOST_NAME.test(host)) return undefined;
  return { kind: 'host', host, ...(port === undefined ? {} : { port }) };
}
