const MAX_STALE = /^max-stale(?:\s*=\s*"?(\d{1,9})"?)?$/i;

/**
 * Whether the request may be read from the replica, as `Cache-Control` of a cache has it: `no-cache` asks
 * for the latest state, `max-stale` accepts an older one, also where the operation itself does not.
 * @returns undefined, or how many milliseconds old it may be
 */
export function acceptedLag(method: string, cacheControl: string | undefined, mayLag: boolean): number | undefined {
  if (!mayLag && (method !== 'GET' || cacheControl === undefined)) return undefined;
  const directives = (cacheControl ?? '').split(',').map((one) => one.trim());
  if (directives.some((one) => /^no-cache\b/i.test(one))) return undefined;
  const [accepted, seconds] = directives.map((one) => MAX_STALE.exec(one)).find((one) => one !== null) ?? [];
  if (accepted === undefined) return mayLag ? Infinity : undefined;
  return seconds === undefined ? Infinity : Number(seconds) * 1_000;
}
