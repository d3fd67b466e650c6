import type { RouteStatus } from '../../api/model-routes';
import { Status, type Tone } from '../status';

/** What several pages show of a route. */

/** In the order in which they deserve attention. */
export const ROUTE_STATES: Readonly<Record<string, readonly [tone: Tone, meaning: string]>> = {
  fallback: ['warn', 'Only a fallback serves.'],
  cold: ['warn', 'Nothing serves and nothing starts: the next request wakes the primary, and waits.'],
  activating: ['busy', 'The primary starts. Requests wait for it.'],
  suspended: ['quiet', 'The primary is requested to be suspended. The next request wakes it again.'],
  disabled: ['quiet', 'Every target is disabled: requests are refused.'],
  serving: ['good', 'The primary serves.'],
};

export const RouteState = ({ of: { state } }: { of: Pick<RouteStatus, 'state'> }) => (
  <Status tone={ROUTE_STATES[state]?.[0] ?? 'quiet'}>{state}</Status>
);
