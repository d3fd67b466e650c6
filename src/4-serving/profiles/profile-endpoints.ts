import { isJsonObject } from '../../1-platform/common/json/json';

/** Endpoints of OpenAI's API that workers can serve. */
export const ENDPOINTS = ['chat', 'completions', 'embeddings', 'responses'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** The default endpoints of a profile. */
const DEFAULT_ENDPOINTS: readonly Endpoint[] = ['chat', 'completions'];

const isEndpoint = (value: unknown): value is Endpoint => (ENDPOINTS as readonly unknown[]).includes(value);

/** The endpoints that a profile serves. @param named the member `endpoints` of its spec */
export function endpointsOf(named: unknown): ReadonlySet<Endpoint> {
  return new Set(Array.isArray(named) ? named.filter(isEndpoint) : DEFAULT_ENDPOINTS);
}

/** The error in the endpoints of a spec, with its member; undefined if they are valid. */
export function endpointsFault(spec: unknown): { field: string; message: string } | undefined {
  const named = isJsonObject(spec) ? spec.endpoints : undefined;
  if (named === undefined || named === null) return undefined;
  const valid = Array.isArray(named) && named.length <= ENDPOINTS.length && named.every(isEndpoint);
  return valid ? undefined : { field: 'spec.endpoints', message: `must be a list of ${ENDPOINTS.join(', ')}` };
}
