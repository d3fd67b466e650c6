import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a browser may cache a preflight. */
const MAX_AGE_SECONDS = '600';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Response headers that pages may read in addition to the default ones. */
export const EXPOSED_HEADERS: readonly string[] = [
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'Retry-After-Ms',
  'X-Attempts',
  'X-Data-Lag-Ms',
  'X-Ignored-Headers',
  'X-Ignored-Members',
  'X-Outbox-Head',
  'X-Plugins-Unavailable',
  'X-Prometheus-Remote-Write-Exemplars-Written',
  'X-Prometheus-Remote-Write-Histograms-Written',
  'X-Prometheus-Remote-Write-Samples-Written',
  'X-Queue-Ms',
  'X-Request-Id',
  'X-Route-Reason',
  'X-Route-Target',
  'X-Should-Retry',
  'X-Start-Kind',
  'X-Start-Ms',
];
const EXPOSED = EXPOSED_HEADERS.join(', ');

/** Names of headers, as a preflight lists them. */
const HEADER_NAMES = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+(, ?[A-Za-z0-9!#$%&'*+.^_`|~-]+)*$/;
const MAX_HEADER_NAMES = 2_048;

/**
 * Lets pages of these origins call the API from a browser. The page sends its bearer itself, never the
 * browser on its own, so cookies and the like are not allowed. Requests of other origins are answered as
 * before, without headers that let a page read the answer.
 *
 * @param origins such as `https://console.example`; `*` stands for all
 * @returns sets the headers of an answer; true if it has answered the request itself, because that is a
 * preflight
 */
export function crossOrigin(
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const allowed = new Set(origins);
  const isOpen = allowed.has('*');
  return (request, response) => {
    if (origins.length === 0) return false;
    // A cache must not give the answer for one origin to another.
    if (!isOpen) response.setHeader('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !(isOpen || allowed.has(origin))) return false;
    response.setHeader('access-control-allow-origin', isOpen ? '*' : origin);
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight) {
      response.setHeader('access-control-expose-headers', EXPOSED);
      return false;
    }
    response.setHeader('access-control-allow-methods', METHODS);
    response.setHeader('access-control-max-age', MAX_AGE_SECONDS);
    // Clients send headers of their own, such as `x-stainless-lang`. None of them grants more than the bearer
    // does.
    const names = request.headers['access-control-request-headers'];
    if (names !== undefined && names.length <= MAX_HEADER_NAMES && HEADER_NAMES.test(names))
      response.setHeader('access-control-allow-headers', names);
    response.writeHead(204, { 'cache-control': 'no-store' }).end();
    return true;
  };
}
