import { seeded } from '../random';
import type { FleetOptions } from './options';

/**
 * All random decisions, from one generator per actor. A decision draws the same numbers whatever the service
 * answered before, so an actor's n-th decision is the same in every run of a seed.
 */
export class Dice {
  private readonly random: () => number;

  constructor(seed: number, actor: string) {
    this.random = seeded([...actor].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), seed));
  }

  /** From 0 up to but not including 1, with three digits. */
  share(): number {
    return Math.floor(this.random() * 1_000) / 1_000;
  }
  yes(rate: number): boolean {
    return this.random() < rate;
  }
  between(low: number, high: number): number {
    return Math.round(low + this.random() * (high - low));
  }
  /** Between half and one and a half times the value. */
  about(milliseconds: number): number {
    return this.between(milliseconds / 2, milliseconds * 1.5);
  }
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.random() * values.length)] ?? values[0];
  }
}

/**
 * The order in which a step is reported: by the worker's event first, by the controller's report first, or
 * both at once.
 */
type ReportingOrder = 'event first' | 'report first' | 'together';

/** Where a start may fail, as a share of its duration. */
export interface StartPlan {
  readonly node: number;
  /** Prefers the node that holds the best checkpoint, if any. */
  readonly follows: boolean;
  readonly order: ReportingOrder;
  /** Its pod names the checkpoint too. */
  readonly podNames: boolean;
  /** The number of the failing step, from 1; 0 if none fails. */
  readonly failsAt: number;
  /** Whether anybody reports that a failed worker was removed. */
  readonly cleansUp: boolean;
  /** The restore fails, and the worker falls back to a cold start. */
  readonly fallsBack: boolean;
  /** Duration as a multiple of the usual one. */
  readonly slowness: number;
  readonly restMs: number;
}

export const startPlan = (dice: Dice, { rates, restMs }: FleetOptions): StartPlan => {
  const plan = {
    node: dice.share(),
    follows: dice.yes(0.6),
    order: dice.pick<ReportingOrder>(['event first', 'report first', 'together']),
    podNames: dice.yes(0.4),
    slowness: dice.between(80, 130) / 100,
    cleansUp: dice.yes(0.5),
    fallsBack: dice.yes(rates.restoreFallsBack),
    restMs: dice.about(restMs),
  };
  const fails = dice.yes(rates.startFails);
  const step = dice.between(1, 4);
  return { ...plan, failsAt: fails ? step : 0 };
};

export interface CheckpointPlan {
  readonly fails: boolean;
  readonly incremental: boolean;
  readonly tier: 'memory' | 'local' | 'shared' | 'object';
  /** Which of the two reports its location. */
  readonly placedBy: 'registration' | 'event';
  readonly completedFirst: boolean;
  readonly takesMs: number;
  readonly bytes: number;
}

export const checkpointPlan = (dice: Dice, { rates, checkpointMs }: FleetOptions): CheckpointPlan => ({
  fails: dice.yes(rates.checkpointFails),
  incremental: dice.yes(rates.incremental),
  tier: dice.pick(['memory', 'memory', 'local', 'local', 'local', 'shared', 'object', 'object']),
  placedBy: dice.pick(['registration', 'event']),
  completedFirst: dice.yes(0.5),
  takesMs: dice.about(checkpointMs),
  bytes: dice.between(8, 24) * 2 ** 30,
});

export interface PromotionPlan {
  readonly fails: boolean;
  readonly takesMs: number;
}

export const promotionPlan = (dice: Dice, { rates, promotionMs }: FleetOptions): PromotionPlan => ({
  fails: dice.yes(rates.promotionFails),
  takesMs: dice.about(promotionMs),
});

interface RebootPlan {
  readonly afterMs: number;
  readonly takesMs: number;
}

export const rebootPlan = (dice: Dice, { rebootEveryMs, rebootMs }: FleetOptions): RebootPlan => ({
  afterMs: dice.about(rebootEveryMs),
  takesMs: dice.about(rebootMs),
});

export type Ask = 'active' | 'suspended' | 'released' | 'checkpoint' | 'restart' | 'promote';

export interface AskPlan {
  readonly afterMs: number;
  readonly ask: Ask;
  /** The requested replicas; 0 for none. */
  readonly deadlineMs: number;
  /** Index into several candidates. */
  readonly which: number;
  readonly tier: 'shared' | 'local';
}

const ASKS: readonly [Ask, number][] = [
  ['active', 0.27],
  ['suspended', 0.1],
  ['released', 0.03],
  ['checkpoint', 0.34],
  ['restart', 0.16],
  ['promote', 0.1],
];

/** @param first of a profile, which always starts with a worker */
export const askPlan = (dice: Dice, { askEveryMs }: FleetOptions, first: boolean): AskPlan => {
  let share = dice.share();
  const drawn = ASKS.find(([, weight]) => (share -= weight) < 0)?.[0] ?? 'active';
  const pause = dice.about(askEveryMs);
  const hurried = dice.yes(0.2);
  const deadlineMs = dice.between(30_000, 600_000);
  return {
    afterMs: first ? Math.round(pause / 10) : pause,
    ask: first ? 'active' : drawn,
    deadlineMs: hurried ? deadlineMs : 0,
    which: dice.share(),
    tier: dice.pick(['shared', 'shared', 'local']),
  };
};
