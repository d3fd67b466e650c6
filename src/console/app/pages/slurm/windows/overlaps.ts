import { interval } from '../../../parts/time/interval';
import type { MaintenanceWindow, Policy } from '../slurm-queries';

/** What a policy does while a maintenance window lasts. */
export interface Overlap {
  readonly id: string;
  /** Its name, or its id without one. */
  readonly name: string;
  readonly does: string;
  /** Its checkpoints are requested when the window has already begun. */
  readonly isLate: boolean;
}

/** Windows in which nothing happens any more. */
const OVER: readonly MaintenanceWindow['status'][] = ['completed', 'cancelled', 'ended'];

/**
 * Policies whose checkpoints touch a window: those with a window of their own that overlaps it or meets it,
 * and all that repeat. A window that was created by hand has no cluster, so it concerns the policies of all.
 * @param policies active ones of Slurm jobs
 */
export function overlapsOf(window: MaintenanceWindow, policies: readonly Policy[]): readonly Overlap[] {
  if (OVER.includes(window.status)) return [];
  const [start, end] = [Date.parse(window.start_time ?? ''), Date.parse(window.end_time ?? '')];
  return policies.flatMap(({ id, name, pipeline }): Overlap[] => {
    if (pipeline === null) return [];
    const { trigger, filter } = pipeline;
    if (window.cluster_id !== null && filter.config.cluster_id !== window.cluster_id) return [];
    const named = { id, name: name ?? id };
    if (trigger.type === 'heartbeat')
      return [{ ...named, does: `every ${interval(trigger.config.interval_seconds)}`, isLate: false }];
    const [from, to] = [Date.parse(trigger.config.start_time), Date.parse(trigger.config.end_time)];
    if (to < start || from >= end) return [];
    const isLate = from >= start;
    return [{ ...named, does: isLate ? 'once, after it has begun' : 'once, before it begins', isLate }];
  });
}
