import type { NextFunction, Response } from 'express';
import type { ServiceRequest } from '../common/request';

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
 * Serves the endpoints of OpenAI's API below `/openai/v1` too, by the same handlers: the path is rewritten before it is routed. A model's
 * name may have slashes, which a path parameter may not. Failures below both bases have OpenAI's shape, also where there is no operation.
 */
export function openAiPaths(request: object, _response: Response, next: NextFunction): void {
  const req = request as ServiceRequest;
  const isAlias = req.url.startsWith(`${ALIAS}/`);
  if (!isAlias && !req.url.startsWith(`${BASE}/`)) return next();
  req.openAiErrors = true;
  const query = req.url.indexOf('?');
  const end = query < 0 ? req.url.length : query;
  const path = req.url.slice(isAlias ? ALIAS.length : BASE.length, end);
  const isModel = path.startsWith(MODEL);
  if (isModel || (isAlias && ENDPOINTS.has(path))) {
    const rest = isModel ? MODEL + path.slice(MODEL.length).replaceAll('/', '%2F') : path;
    req.url = BASE + rest + req.url.slice(end);
  }
  next();
}
