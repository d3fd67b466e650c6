import type { Client } from './client';
import type { Journal } from './journal';
import type { FleetOptions } from './options';
import type { Pace } from './pace';

/** The state that all actors of a fleet share. */
export interface FleetContext {
  readonly options: FleetOptions;
  readonly journal: Journal;
  /** Aborted when the fleet ends. */
  readonly pace: Pace;
  /** Aborted earlier, when nothing new may start. */
  readonly unrest: Pace;
  readonly controller: Client;
  readonly operator: Client;
  readonly clusterId: string;
}
