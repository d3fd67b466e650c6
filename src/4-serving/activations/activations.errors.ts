import { conflict, type Problem } from '../../1-platform/common/answers/problem';
import { HELD_SECONDS } from './activations.queries';

export const profileHeld = (clusterId: string): Problem =>
  conflict(
    'profile_held',
    `The cluster ${clusterId} runs the workers of the profile. It holds the profile until it reports Suspended, or ` +
      `nothing for ${HELD_SECONDS} seconds.`,
  );
