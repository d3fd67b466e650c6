import { AsyncLocalStorage } from 'node:async_hooks';
import type { WorkPlace } from '../../../1-platform/common/work/request';

/** Runs work that belongs to no request: in the context in which this file is loaded. */
const OUTSIDE = AsyncLocalStorage.snapshot();

/** Maximal different waiting reports on one activation: more would wait too long. */
const MAX_TURNS = 64;
/** Maximal waiting reports that share one reply. */
const MAX_EQUAL = 10_000;
/** After this time most callers have given up. */
const LONGEST_WAIT_MS = 5_000;
/** A write that takes longer is slow: its row may be locked. */
const SLOW_WRITE_MS = 250;

interface Waiting {
  readonly place: WorkPlace | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Turn<Report> {
  readonly report: Report;
  /** Equal consecutive reports, which are answered together. The first one has the place of their write. */
  readonly equal: Waiting[];
  /** The time from which the last of these waits. */
  since: number;
}

/** Reports on one activation: one is written, the others wait. */
class Lane<Report> {
  readonly turns: Turn<Report>[] = [];
  private isSlow = false;

  /**
   * Frees the places of all waiting reports for other activations once the write is slow.
   * @param turn whose reports are written
   */
  async during(write: Promise<void>, turn?: Turn<Report>): Promise<void> {
    const timer = setTimeout(() => {
      this.isSlow = true;
      const waiting = [...(turn?.equal.slice(1) ?? []), ...this.turns.flatMap(({ equal }) => equal)];
      for (const { place } of waiting) place?.leave();
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
 * Writes the reports on one activation one after the other. Concurrent writes would wait for the row lock,
 * each with a connection, and all but one would find a changed row and start again. A waiting report that
 * equals the one before it shares its write and reply. Reports that wait for a slow write leave their places
 * to reports on other activations.
 */
export class ReportLanes<Report> {
  /** By activation, for those with reports. */
  private readonly lanes = new Map<string, Lane<Report>>();

  /**
   * @param same whether the second report, right after the first, changes nothing more
   * @param tooMany creates the error if too many reports wait
   */
  constructor(
    private readonly write: (report: Report) => Promise<void>,
    private readonly same: (one: Report, other: Report) => boolean,
    private readonly tooMany: () => Error,
  ) {}

  /**
   * Resolves when the report is written; without others it is written at once.
   *
   * @param place of its request in the admission
   */
  add(key: string, report: Report, place?: WorkPlace): Promise<void> {
    const lane = this.lanes.get(key);
    if (!lane) return this.first(key, report);
    const { turns } = lane;
    return new Promise((resolve, reject) => {
      const since = performance.now();
      const last = turns.at(-1);
      if (last && this.same(last.report, report)) {
        if (last.equal.length >= MAX_EQUAL) return reject(this.tooMany());
        last.equal.push({ place, resolve, reject });
        last.since = since;
      } else {
        if (turns.length >= MAX_TURNS) return reject(this.tooMany());
        turns.push({ report, equal: [{ place, resolve, reject }], since });
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
      // Waiting reports belong to other requests: they are not written in this one's transaction.
      void OUTSIDE(() => this.rest(key, lane));
    }
  }

  private async rest(key: string, lane: Lane<Report>): Promise<void> {
    for (let turn = lane.turns.shift(); turn; turn = lane.turns.shift()) {
      try {
        // Reports behind it may have the places for which it waits: to wait for one is a part of the write.
        await lane.during(this.writeNext(turn), turn);
        for (const { resolve } of turn.equal) resolve();
      } catch (error) {
        for (const { reject } of turn.equal) reject(error);
      }
    }
    this.lanes.delete(key);
  }

  /** Writes equal reports with the place of one of them. Those that are refused theirs are answered so. */
  private async writeNext({ report, equal, since }: Turn<Report>): Promise<void> {
    for (let first = equal[0]; first; first = equal[0]) {
      if (performance.now() - since > LONGEST_WAIT_MS) throw this.tooMany();
      try {
        await first.place?.again();
      } catch (error) {
        equal.shift();
        first.reject(error);
        continue;
      }
      return this.write(report);
    }
  }
}
