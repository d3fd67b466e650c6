/** The size of a fleet, its speed, and its faults. Times are those of real clusters, in milliseconds. */
export interface FleetOptions {
  readonly url: string;
  readonly controllerToken: string;
  readonly operatorToken: string;
  readonly seed: number;
  readonly clusterName: string;
  readonly nodes: number;
  /** Profiles whose workers are checkpointed. */
  readonly checkpointed: number;
  readonly dedicated: number;
  /** Speed as a multiple of real time. */
  readonly speed: number;
  /** Whether it becomes slower while the service is. */
  readonly slowsDown: boolean;
  /** Duration of a cold start. */
  readonly coldMs: number;
  /** Duration of a start from a checkpoint. */
  readonly restoreMs: number;
  readonly checkpointMs: number;
  readonly promotionMs: number;
  readonly drainMs: number;
  /** Pause of a controller after a failed start. */
  readonly restMs: number;
  readonly heartbeatMs: number;
  /** Mean time between reboots of one node; 0: never. */
  readonly rebootEveryMs: number;
  readonly rebootMs: number;
  /** Mean time between two requests for one profile. */
  readonly askEveryMs: number;
  readonly rates: FailureRates;
}

interface FailureRates {
  readonly startFails: number;
  readonly checkpointFails: number;
  readonly restoreFallsBack: number;
  readonly promotionFails: number;
  /** Share of checkpoints that store only the difference to the previous one. */
  readonly incremental: number;
  /** Share of events that are sent twice. */
  readonly repeated: number;
}

export type FleetSettings = Pick<FleetOptions, 'url' | 'controllerToken' | 'operatorToken'> &
  Partial<Omit<FleetOptions, 'rates'>> & { readonly rates?: Partial<FailureRates> };

const DEFAULTS = {
  seed: 1,
  clusterName: 'fleet',
  nodes: 4,
  checkpointed: 4,
  dedicated: 2,
  speed: 100,
  slowsDown: false,
  coldMs: 120_000,
  restoreMs: 8_000,
  checkpointMs: 15_000,
  promotionMs: 20_000,
  drainMs: 5_000,
  restMs: 10_000,
  heartbeatMs: 60_000,
  rebootEveryMs: 600_000,
  rebootMs: 30_000,
  askEveryMs: 90_000,
};

const RATES: FailureRates = {
  startFails: 0.1,
  checkpointFails: 0.1,
  restoreFallsBack: 0.1,
  promotionFails: 0.2,
  incremental: 0.5,
  repeated: 0.1,
};

export const withDefaults = (settings: FleetSettings): FleetOptions => ({
  ...DEFAULTS,
  ...settings,
  rates: { ...RATES, ...settings.rates },
});
