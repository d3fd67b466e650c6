import type { IncomingMessage } from 'node:http';
import type { ServiceRequest } from '../common/work/request';

const BASE = '/v1/inference';
/** The base URL that clients of OpenAI's API expect: they add `/chat/completions` and so on. */
const ALIAS = '/openai/v1';

const ENDPOINTS: ReadonlySet<string> = new Set([
  '/chat/completions',
  '/completions',
  '/embeddings',
  '/responses',
  '/models',
]);
const MODEL = '/models/';

/**
 * Serves the endpoints of OpenAI's API below `/openai/v1` too, with the same handlers: the path is rewritten
 * before it is routed. A model's name may have slashes, which a path parameter may not. One trailing slash is
 * ignored, as the router does for other paths. Failures below both bases have OpenAI's format, even for
 * unknown paths.
 */
export function rewriteOpenAiPath(req: IncomingMessage): void {
  const { url = '' } = req;
  const isAlias = url.startsWith(`${ALIAS}/`);
  if (!isAlias && !url.startsWith(`${BASE}/`)) return;
  (req as ServiceRequest).openAiErrors = true;
  const query = url.indexOf('?');
  const end = query < 0 ? url.length : query;
  const whole = url.slice(isAlias ? ALIAS.length : BASE.length, end);
  const path = whole.endsWith('/') ? whole.slice(0, -1) : whole;
  const isModel = path.startsWith(MODEL) && path.length > MODEL.length;
  if (isModel || (isAlias && ENDPOINTS.has(path))) {
    const rest = isModel ? MODEL + path.slice(MODEL.length).replaceAll('/', '%2F') : path;
    req.url = BASE + rest + url.slice(end);
  }
}
