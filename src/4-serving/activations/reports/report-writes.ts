import { Batches } from '../../../1-platform/common/work/batches';
import { isAway } from '../../../1-platform/database/connections/database-errors';
import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import {
  moveActivation,
  moveActivations,
  noteRepeatedReport,
  noteRepeatedReports,
  type Move,
  type Moved,
  type Repeated,
} from '../activations.queries';

/** Maximal reports that one statement writes. */
const MAX_BATCH = 128;

/** It is to be written by itself: it came alone, its row is locked, or the shared statement failed. */
const APART = Symbol('apart');

/** Reports of one kind, in one organisation. */
interface Kind<Report, Written> {
  /** Writes one report, and waits for its row. */
  readonly alone: (report: Report) => Promise<Written>;
  /** Writes reports in one statement, and skips those whose row is locked. @returns the others, by profile */
  readonly together: (reports: readonly Report[]) => Promise<ReadonlyMap<string, Written>>;
}

/**
 * Under load, reports that arrive during one statement share the next one and its commit. It waits for no
 * activation: a report on a locked one is written by itself, and delays no other one meanwhile. Other waits
 * are rare and short: for a profile that is being deleted, or a start. If a lock is not free in time, the
 * statement fails, and each report is written by itself.
 */
class Shared<Report extends { readonly profileId: string }, Written> {
  private readonly batches = new Batches<Report, Written | typeof APART>((reports) => this.write(reports), {
    maxItems: MAX_BATCH,
  });

  constructor(private readonly kind: Kind<Report, Written>) {}

  get idle(): boolean {
    return this.batches.size === 0;
  }

  async add(report: Report): Promise<Written> {
    const written = await this.batches.add(report);
    return written === APART ? this.kind.alone(report) : written;
  }

  private async write(reports: readonly Report[]): Promise<(Written | typeof APART)[]> {
    if (reports.length === 1) return [APART];
    try {
      const written = await this.kind.together(reports);
      return reports.map(({ profileId }) => (written.has(profileId) ? (written.get(profileId) as Written) : APART));
    } catch (error) {
      if (isAway(error)) throw error;
      // One of them cannot be written, or its lock was not free: each one gets its own answer.
      return reports.map(() => APART);
    }
  }
}

interface Writes {
  readonly repeated: Shared<Repeated, boolean>;
  readonly moved: Shared<Move, Moved | undefined>;
}

/**
 * Writes reports on activations. Those of one organisation share statements, in which each of them has
 * another profile: see `ReportLanes`.
 */
export class ReportWrites {
  /** By organisation, while reports are written. */
  private readonly open = new Map<string, Writes>();

  constructor(private readonly statements: StatementPool) {}

  /** Notes a report that repeats the known state. @returns false if the state has changed */
  repeated(orgId: string, report: Repeated): Promise<boolean> {
    return this.add(orgId, ({ repeated }) => repeated.add(report));
  }

  /**
   * A new row is written by itself: it may wait for others who make the same one, and fails if its profile is
   * unknown.
   * @returns undefined if the row has changed since the move was decided
   */
  moved(orgId: string, move: Move): Promise<Moved | undefined> {
    if (move.known === undefined) return moveActivation(this.statements, orgId, move);
    return this.add(orgId, ({ moved }) => moved.add(move));
  }

  private async add<Written>(orgId: string, write: (writes: Writes) => Promise<Written>): Promise<Written> {
    const writes = this.open.get(orgId) ?? this.writesOf(orgId);
    this.open.set(orgId, writes);
    try {
      return await write(writes);
    } finally {
      const isIdle = writes.repeated.idle && writes.moved.idle;
      if (isIdle && this.open.get(orgId) === writes) this.open.delete(orgId);
    }
  }

  private writesOf(orgId: string): Writes {
    const { statements } = this;
    return {
      repeated: new Shared({
        alone: (report) => noteRepeatedReport(statements, orgId, report),
        together: (reports) => noteRepeatedReports(statements, orgId, reports),
      }),
      moved: new Shared<Move, Moved | undefined>({
        alone: (move) => moveActivation(statements, orgId, move),
        together: (moves) => moveActivations(statements, orgId, moves),
      }),
    };
  }
}
