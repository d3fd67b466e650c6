import type { Client, Fault } from '../support/fleet/client';
import { analyticsOf, startsOf } from './startup';

interface Artifact {
  readonly residency: { readonly state: string };
}

/** What happened in the demo, as the service reports it, and the faults that the simulation noticed. */
export async function summaryOf(
  viewer: Client,
  profiles: number,
  faults: readonly Fault[],
  ranMs: number,
): Promise<string> {
  const [analytics, { body: artifacts }, { body: intents }] = await Promise.all([
    analyticsOf(viewer),
    viewer.get<Artifact[]>('/v1/inference/artifacts?limit=1000'),
    viewer.get<{ status: string }[]>('/v1/inference/capacity-intents?limit=1000'),
  ]);
  const restorable = artifacts.filter(({ residency }) => residency.state === 'restorable').length;
  const fulfilled = intents.filter(({ status }) => status === 'Fulfilled').length;
  const gigabytes = (analytics.storage.physical_bytes / 1e9).toFixed(0);
  return [
    `Ran ${(ranMs / 1_000).toFixed(0)} s with ${profiles} profiles.`,
    `Capacity intents: ${fulfilled} of ${intents.length} fulfilled at the end.`,
    `${startsOf(analytics)}.`,
    `Checkpoint artifacts: ${artifacts.length}, ${restorable} of them restorable. Checkpoints wrote ${gigabytes} GB.`,
    faults.length === 0 ? 'No faults.' : `Faults:\n${JSON.stringify(faults, null, 2)}`,
  ].join('\n');
}
