import type { Client } from '../support/fleet/client';

interface Sample {
  readonly samples: number;
  readonly p50_ms: number;
}

interface Analytics {
  readonly startup: { readonly cold: Sample | null; readonly restore: Sample | null };
  readonly storage: { readonly physical_bytes: number };
}

/** The members of `GET /v1/inference/analytics` that the demo reads. */
export const analyticsOf = async (viewer: Client): Promise<Analytics> =>
  (await viewer.get<Analytics>('/v1/inference/analytics')).body;

/** Compares cold starts with restored ones in one line. */
export function startsOf({ startup }: Analytics): string {
  const [cold, restore] = [measured(startup.cold), measured(startup.restore)];
  const side = (name: string, sample: Sample | undefined): string =>
    sample ? `${name} ${seconds(sample.p50_ms)} (median of ${sample.samples})` : `${name} not measured yet`;
  const faster =
    cold && restore && restore.p50_ms > 0
      ? `: a restore is ready ${(cold.p50_ms / restore.p50_ms).toFixed(1)} times as fast`
      : '';
  return `Until ready: ${side('cold start', cold)}, ${side('restored', restore)}${faster}`;
}

/** Without samples, the service reports the estimate of the profile. */
const measured = (sample: Sample | null): Sample | undefined => (sample && sample.samples > 0 ? sample : undefined);

export const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`;
