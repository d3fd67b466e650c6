import type { Problem } from '../../../1-platform/common/answers/problem';
import type { Endpoint } from '../../../4-serving/profiles/profile-endpoints';

/**
 * The last event of a stream that cannot go on, as clients of the endpoint
 * expect it. @param place of the event in its stream
 */
export function errorEvent(endpoint: Endpoint, { message, code }: Problem, place: number): string {
  const error = { message, type: 'server_error', param: null, code };
  if (endpoint !== 'responses') return `data: ${JSON.stringify({ error })}\n\n`;
  const event = { type: 'error', sequence_number: place, code, message, param: null, error };
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
}
