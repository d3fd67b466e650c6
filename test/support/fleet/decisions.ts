import { seeded } from '../random';
import type { FleetOptions } from './options';

/**
 * Everything that is left to chance, drawn from a generator of each actor's own. A
 * decision draws the same numbers whatever the service answered before, so that an actor's
 * n-th decision is the same in every run of a seed.
 */
export class Dice {
  private readonly random: () => number;

  constructor(seed: number, actor: string) {
    this.random = seeded([...actor].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), seed));
  }

  /** From 0 up to but not 1, of three digits. */
  share(): number {
    return Math.floor(this.random() * 1_000) / 1_000;
  }
  yes(rate: number): boolean {
    return this.random() < rate;
  }
  between(low: number, high: number): number {
    return Math.round(low + this.random() * (high - low));
  }
  /** Half to one and a half of it. */
  about(milliseconds: number): number {
    return this.between(milliseconds / 2, milliseconds * 1.5);
  }
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[Math.floor(this.random() * values.length)] ?? values[0];
  }
}

/**
 * In which order a step is told: by the worker's event, by
 * the controller's report, or both at the same moment.
 */
export type TellingOrder = 'event first' | 'report first' | 'together';

/** Where a start may fail, as the share of its way. */
export interface StartPlan {
  readonly node: number;
  /** Goes where the best checkpoint lies, if any. */
  readonly follows: boolean;
  readonly order: TellingOrder;
  /** Its pod names the checkpoint too. */
  readonly podNames: boolean;
  /** Step that fails, from 1; 0 when none does. */
  readonly failsAt: number;
  /** Whether anybody tells that a failed worker was removed. */
  readonly cleansUp: boolean;
  /** The restore fails, and the worker goes on from nothing. */
  readonly fallsBack: boolean;
  /** Times as long as usual. */
  readonly slowness: number;
  readonly restMs: number;
}

export const startPlan = (dice: Dice, { rates, restMs }: FleetOptions): StartPlan => {
  const plan = {
    node: dice.share(),
    follows: dice.yes(0.6),
    order: dice.pick<TellingOrder>(['event first', 'report first', 'together']),
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
  /** Which of the two tells where it lies. */
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

export interface RebootPlan {
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
  /** Of an ask for a state; 0 for none. */
  readonly deadlineMs: number;
  /** Which of several. */
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

/** @param first of a profile: it always begins with a worker */
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
