import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';

const PATHS: Readonly<Record<Endpoint, string>> = {
  chat: 'chat/completions',
  completions: 'completions',
  embeddings: 'embeddings',
  responses: 'responses',
};

/** The URL of a worker's endpoint. @param base its address, with or without `/v1` */
export function endpointUrl(base: string, endpoint: Endpoint): string {
  const url = new URL(base);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  url.pathname = `${path.endsWith('/v1') ? path : `${path}/v1`}/${PATHS[endpoint]}`;
  return url.href;
}
