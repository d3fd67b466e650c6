import { AsyncLocalStorage } from 'node:async_hooks';
import type { WorkPlace } from '../../1-platform/common/work/request';

/** Runs what belongs to no request: the context in which this file is read. */
const OUTSIDE = AsyncLocalStorage.snapshot();

/** Different reports on one activation that may wait: more of them than this would wait for too long. */
const MAX_TURNS = 64;
/** Reports that may wait to be answered with one of them. */
const MAX_FOLLOWERS = 10_000;
/** Whoever reports has given up by then, mostly. */
const LONGEST_WAIT_MS = 5_000;
/** A write that takes longer is slow: its row may be locked. */
const SLOW_WRITE_MS = 250;

interface Turn<Report> {
  readonly report: Report;
  readonly place: WorkPlace | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  /** Others that say the same, one after the other, and are answered with it. */
  readonly followers: Pick<Turn<Report>, 'place' | 'resolve' | 'reject'>[];
  /** Since when the last of all these waits. */
  since: number;
}

/** Reports on one activation: one is written, the others wait. */
class Lane<Report> {
  readonly turns: Turn<Report>[] = [];
  private isSlow = false;

  /** Leaves the places of all who wait to reports on other activations, from when the write is slow. */
  async during(write: Promise<void>): Promise<void> {
    const timer = setTimeout(() => {
      this.isSlow = true;
      for (const turn of this.turns) for (const { place } of [turn, ...turn.followers]) place?.leave();
    }, SLOW_WRITE_MS).unref();
    try {
      await write;
    } finally {
      clearTimeout(timer);
      this.isSlow = false;
    }
  }

  waits(place: WorkPlace | undefined): void {
    if (this.isSlow) place?.leave();
  }
}

/**
 * Lets the reports on one activation be written one after the other: at the same time they would
 * wait for each other's row lock, each with a connection, and all but one would find that the row
 * has changed and begin again. Reports that wait and say the same as the one before them are
 * answered with it: what they would write is what it wrote. Those that wait for a slow write
 * leave their places to reports on other activations.
 */
export class ReportLanes<Report> {
  /** By activation; an activation without reports has none. */
  private readonly lanes = new Map<string, Lane<Report>>();

  /**
   * @param same whether the second report, right after the first, changes nothing more
   * @param tooMany what to throw where too many wait
   */
  constructor(
    private readonly write: (report: Report) => Promise<void>,
    private readonly same: (one: Report, other: Report) => boolean,
    private readonly tooMany: () => Error,
  ) {}

  /**
   * Resolves when the report is written; one that comes alone waits for nothing.
   *
   * @param place of its request among the work under way
   */
  add(key: string, report: Report, place?: WorkPlace): Promise<void> {
    const lane = this.lanes.get(key);
    if (!lane) return this.first(key, report);
    const { turns } = lane;
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const last = turns.at(-1);
      if (last && this.same(last.report, report)) {
        if (last.followers.length >= MAX_FOLLOWERS) return reject(this.tooMany());
        last.followers.push({ place, resolve, reject });
        last.since = since;
      } else {
        if (turns.length >= MAX_TURNS) return reject(this.tooMany());
        turns.push({ report, place, resolve, reject, followers: [], since });
      }
      lane.waits(place);
    });
  }

  private async first(key: string, report: Report): Promise<void> {
    const lane = new Lane<Report>();
    this.lanes.set(key, lane);
    try {
      await lane.during(this.write(report));
    } finally {
      // Those that wait are of other requests: they are not written in the transaction of this one.
      void OUTSIDE(() => this.rest(key, lane));
    }
  }

  private async rest(key: string, lane: Lane<Report>): Promise<void> {
    for (let turn = lane.turns.shift(); turn; turn = lane.turns.shift()) {
      const { report, place, resolve, reject, followers, since } = turn;
      try {
        if (performance.now() - since > LONGEST_WAIT_MS) throw this.tooMany();
        await place?.again();
        await lane.during(this.write(report));
        resolve();
        for (const follower of followers) follower.resolve();
      } catch (error) {
        reject(error);
        for (const follower of followers) follower.reject(error);
      }
    }
    this.lanes.delete(key);
  }
}
