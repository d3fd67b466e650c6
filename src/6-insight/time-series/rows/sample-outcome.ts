import type { DropReason } from '../columns/series-columns';

/** Why samples are refused. */
export const REFUSALS = {
  malformed: 'cannot be read',
  too_many_labels: 'has labels that are too many, too long or cannot be stored',
  too_old: 'is older than what is kept',
  too_far_ahead: 'is more than a day ahead',
  conflicting: 'has another value already',
  too_many_series: 'is of a series more than the organisation may have',
} as const;
export type Refusal = keyof typeof REFUSALS;

/** Refused series that a reply names, and the first one of each further reason. */
const MAX_NAMED = 10;
const MAX_NAME_LENGTH = 200;

/** The result of a request's samples. */
export class Outcome {
  stored = 0;
  /** Samples of new series are missing: they can be stored later. */
  isIncomplete = false;
  readonly dropped = new Map<DropReason, number>();
  readonly refused = new Map<Refusal, number>();
  private readonly named: string[] = [];

  drop(reason: DropReason, samples: number): void {
    if (samples > 0) this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + samples);
  }

  /** @param series names it, in case its name has not been read yet */
  refuse(reason: Refusal, samples: number, series: () => string, fault: string = REFUSALS[reason]): void {
    const before = this.refused.get(reason) ?? 0;
    this.refused.set(reason, before + samples);
    // The first of each reason in any case.
    if (before === 0 || this.named.length < MAX_NAMED)
      this.named.push(`${series().slice(0, MAX_NAME_LENGTH)} ${fault}`);
  }

  get refusals(): number {
    return [...this.refused.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The text for the sender. */
  get message(): string {
    const reasons = [...this.refused].map(([reason, count]) => `${reason} ${count}`).join(', ');
    return `${this.stored} samples are stored, ${this.refusals} refused (${reasons}): ${this.named.join('; ')}.`;
  }
}
