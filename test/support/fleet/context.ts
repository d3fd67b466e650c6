import type { Client } from './client';
import type { Journal } from './journal';
import type { FleetOptions } from './options';
import type { Pace } from './pace';

/** What every actor of a fleet shares. */
export interface FleetContext {
  readonly options: FleetOptions;
  readonly journal: Journal;
  /** Ends with the fleet. */
  readonly pace: Pace;
  /** Ends before it, once nothing new is to happen. */
  readonly unrest: Pace;
  readonly controller: Client;
  readonly operator: Client;
  readonly clusterId: string;
}
