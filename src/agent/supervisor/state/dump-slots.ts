import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { monotonicNs } from '../../clock';
import { AgentFailure } from '../../failures';
import { FileLock } from './file-lock';

/** A dump of many GiB takes seconds; who waits longer than this asks again. */
export const MAX_WAIT_SECONDS = 300;
const TURN_SECONDS = 0.5;

/**
 * Bounds how many dumps run at once on this machine: one lock for each, in the state directory, which the
 * nodes of a cluster may share.
 */
export class DumpSlots {
  private readonly paths: readonly string[];

  constructor(stateDir: string, slots: number, machine = hostname()) {
    const directory = join(stateDir, 'dump-slots', encodeURIComponent(machine));
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.paths = Array.from({ length: slots }, (_, index) => join(directory, `${index}.lock`));
  }

  async take(waitSeconds = MAX_WAIT_SECONDS): Promise<FileLock> {
    // From a random one on, so that those who wait are spread over all.
    const first = Math.floor(Math.random() * this.paths.length);
    const order = [...this.paths.slice(first), ...this.paths.slice(0, first)];
    const until = monotonicNs() + waitSeconds * 1e9;
    for (const path of order) {
      const lock = await FileLock.take(path);
      if (lock) return lock;
    }
    // Nobody says which one is free next, so each gets a short turn.
    for (let turn = 0; monotonicNs() < until; turn++) {
      const lock = await FileLock.take(order[turn % order.length]!, TURN_SECONDS);
      if (lock) return lock;
    }
    throw new AgentFailure({
      cause: 'busy',
      message: `${order.length} other dumps run on this machine, and none of them ended within ${waitSeconds} seconds.`,
      remedy: 'Ask again later, or allow more dumps at once with --parallel-dumps.',
    });
  }
}
