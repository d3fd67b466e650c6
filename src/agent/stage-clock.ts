import { monotonicNs } from './clock';
import type { OnProgress, Stage, StageName } from './stages';

type Parts = NonNullable<Stage['parts']>;

interface Measured {
  durationNs: number;
  bytes: number;
  parts?: Parts;
}

/**
 * Measures stages that follow one another: exactly one runs at a time, so their durations add up to the time
 * that the whole took. A stage that is entered again continues.
 */
export class StageClock {
  private readonly measured = new Map<StageName, Measured>();
  private current: { name: StageName; sinceNs: number } | undefined;

  constructor(
    readonly onProgress: OnProgress = () => {},
    private readonly now: () => number = monotonicNs,
  ) {}

  /** Ends the current stage and begins this one. */
  enter(name: StageName): void {
    if (this.current?.name === name) return;
    this.switchTo(name);
    this.onProgress({ stage: name, bytesDone: 0, bytesTotal: null });
  }

  /**
   * Ends the current stage, and has in its place what the one who did the work measured. What that does not
   * cover belongs to the last of these stages.
   */
  replace(stages: readonly Stage[]): void {
    const last = stages.at(-1);
    if (!this.current || !last) return;
    const { name, sinceNs } = this.current;
    this.current = undefined;
    if (this.of(name).durationNs === 0) this.measured.delete(name);
    for (const { name: part, durationNs, ...detail } of stages) {
      this.of(part).durationNs += durationNs;
      this.detail(part, detail);
    }
    const rest = this.now() - sinceNs - stages.reduce((sum, { durationNs }) => sum + durationNs, 0);
    this.of(last.name).durationNs = Math.max(this.of(last.name).durationNs + rest, 0);
  }

  /** Adds to a stage what is known about it afterwards. */
  detail(name: StageName, detail: { bytes?: number; parts?: Parts }): void {
    Object.assign(this.of(name), detail);
  }

  /** How long a stage has taken so far. */
  lastedNs(name: StageName): number {
    const running = this.current?.name === name ? this.now() - this.current.sinceNs : 0;
    return (this.measured.get(name)?.durationNs ?? 0) + running;
  }

  /** Gives a part of one stage's time to another one; at most what it has. */
  split(from: StageName, to: StageName, durationNs: number): void {
    const moved = Math.min(Math.max(durationNs, 0), this.of(from).durationNs);
    this.of(from).durationNs -= moved;
    this.of(to).durationNs += moved;
  }

  /** Ends the current stage. @returns all stages, in the order in which they began */
  finish(): Stage[] {
    this.close();
    return [...this.measured].map(([name, measured]) => ({ name, ...measured }));
  }

  private of(name: StageName): Measured {
    const known = this.measured.get(name);
    if (known) return known;
    const measured = { durationNs: 0, bytes: 0 };
    this.measured.set(name, measured);
    return measured;
  }

  private switchTo(name: StageName): void {
    this.close();
    this.of(name);
    this.current = { name, sinceNs: this.now() };
  }

  private close(): void {
    if (!this.current) return;
    this.of(this.current.name).durationNs += this.now() - this.current.sinceNs;
    this.current = undefined;
  }
}

/** A stage from a time of `monotonicNs` until now. */
export const stageOf = (name: StageName, beganNs: number, bytes: number): Stage => ({
  name,
  durationNs: monotonicNs() - beganNs,
  bytes,
});
