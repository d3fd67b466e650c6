import type { Client } from './client';
import type { FleetOptions } from './options';

export interface Profile {
  readonly id: string;
  readonly compatibilityKey: string;
  /** Whether its workers are checkpointed. */
  readonly checkpoints: boolean;
}

/** Posts the profiles of a fleet; existing ones are found. */
export async function createProfiles(operator: Client, options: FleetOptions): Promise<Profile[]> {
  const bodies = [
    ...Array.from({ length: options.checkpointed }, (_, index) => checkpointed(index + 1, options)),
    ...Array.from({ length: options.dedicated }, (_, index) => bodyOf(`embed-${index + 1}`, 'dedicated', {}, options)),
  ];
  const profiles: Profile[] = [];
  for (const body of bodies) {
    const answer = await operator.post<{ compatibility_key: string }>('/v1/inference/profiles', body);
    profiles.push({
      id: body.profile_id,
      compatibilityKey: answer.body.compatibility_key,
      checkpoints: !body.profile_id.startsWith('embed-'),
    });
  }
  return profiles;
}

/** Every third profile shares its machine, and is checkpointed because its spec says so. */
const checkpointed = (number: number, options: FleetOptions) =>
  number % 3 === 0
    ? bodyOf(`chat-${number}`, 'shared', { checkpoint: true }, options)
    : bodyOf(`chat-${number}`, 'checkpointed', {}, options);

const bodyOf = (id: string, hostingMode: string, spec: object, { coldMs }: FleetOptions) => ({
  profile_id: id,
  logical_model: id,
  exact_model: `example/${id}`,
  backend_url: `http://${id}.inference.svc:8000`,
  hosting_mode: hostingMode,
  compatibility: { gpu: 'A10G', driver: '570' },
  estimated_cold_start_ms: coldMs,
  spec,
});
