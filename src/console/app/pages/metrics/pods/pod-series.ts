import type { Schemas } from '../../../api/client';

export type PodSample = Schemas['PodMetricView'];

/** What a pod used at a time. */
export interface PodPoint {
  /** Milliseconds. */
  readonly at: number;
  /** CPU cores, since the sample before; null without one, or if a container was restarted between them. */
  readonly cores: number | null;
  /** Null if it was not reported. */
  readonly bytes: number | null;
}

/** Samples that are further apart say nothing of the time between them. */
const APART_MS = 10 * 60_000;

/** @param samples of one pod, newest first; 0 means unknown. @returns oldest first */
export function pointsOf(samples: readonly PodSample[]): readonly PodPoint[] {
  const ordered = samples.toReversed();
  return ordered.map((sample, nth): PodPoint => {
    const at = Date.parse(sample.timestamp);
    const before = ordered[nth - 1];
    return { at, cores: before ? coresOf(before, sample) : null, bytes: sample.memory_bytes || null };
  });
}

function coresOf(before: PodSample, sample: PodSample): number | null {
  const ms = Date.parse(sample.timestamp) - Date.parse(before.timestamp);
  const used = sample.cpu_usage_seconds - before.cpu_usage_seconds;
  if (ms <= 0 || ms > APART_MS || used < 0 || before.cpu_usage_seconds === 0) return null;
  return used / (ms / 1_000);
}
