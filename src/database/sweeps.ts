import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logger';

export interface Sweep {
  readonly name: string;
  readonly everySeconds: number;
  /**
   * One round, on every replica at the same moment for all it knows: each row must be claimed by a statement that only one
   * replica can win (compare-and-swap, `for update skip locked`).
   */
  run(): Promise<void>;
}

/** Runs the service's own periodic work, from the start of the application until it begins to drain. */
@Injectable()
export class Sweeps implements BeforeApplicationShutdown {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly underWay = new Set<Promise<void>>();
  private stopped = false;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  start(sweep: Sweep): void {
    const next = () => {
      if (this.stopped) return;
      // Replicas that were started together drift apart.
      const delay = sweep.everySeconds * 1_000 * (0.8 + Math.random() * 0.2);
      this.timers.set(sweep.name, setTimeout(round, delay).unref());
    };
    const round = () => {
      const running = sweep
        .run()
        .catch((error: unknown) => this.logger.error({ err: error, sweep: sweep.name }, 'a sweep failed'))
        .finally(() => {
          this.underWay.delete(running);
          next();
        });
      this.underWay.add(running);
    };
    next();
  }

  /** Does the same for each item, one after the other; one that fails is logged and keeps no other waiting. */
  async each<T>(sweep: string, items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    for (const item of items) {
      await work(item).catch((error: unknown) =>
        this.logger.error({ err: error, sweep, item }, 'an item of a sweep failed'),
      );
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.all(this.underWay);
  }
}
