import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { isConnectionFault } from '../../1-platform/database/connections/database-errors';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ActionsService } from './actions/actions.service';
import { unansweredActions, type UnansweredAction } from './actions/actions.queries';
import { partlyFailedActions } from './actions/silent-checkpoints.queries';
import { RestoreFacts } from './actions/restore-facts';
import { silentRestores, type SilentRestore } from './actions/silent-restores.queries';
import { presumeUploaded } from './checkpoints.queries';

const UNANSWERED = 'unanswered actions';
const SILENT_CHECKPOINTS = 'silent checkpoints';
const SILENT_RESTORES = 'silent restores';
const EVERY_SECONDS = 10;

/** A longer round hands over to the next one. */
const ROUND_MS = 8_000;

/** Rows per query. */
const PAGE = 1_000;

/**
 * Actions or restores that one transaction ends. It locks them and their organisation's totals for some 50
 * milliseconds.
 */
const ROWS_A_TRANSACTION = 200;

const ownedId = ({ org_id: orgId, id }: UnansweredAction): OwnedId => ({ orgId, id });

/** Handles actions and checkpoints without reports. Deadlines follow the database's clock. */
@Injectable()
export class CheckpointSweeps implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly actions: ActionsService,
    private readonly restores: RestoreFacts,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: UNANSWERED, everySeconds: EVERY_SECONDS, run: () => this.failUnanswered() });
    this.sweeps.add({
      name: SILENT_CHECKPOINTS,
      everySeconds: EVERY_SECONDS,
      run: () => this.failSilentCheckpoints(),
    });
    this.sweeps.add({ name: SILENT_RESTORES, everySeconds: EVERY_SECONDS, run: () => this.failSilentRestores() });
    this.sweeps.add({ name: 'presumed uploads', everySeconds: EVERY_SECONDS, run: () => this.presumeUploaded() });
  }

  /** @returns 0 if there is more to do */
  failUnanswered(roundMs = ROUND_MS): Promise<0 | undefined> {
    return this.sweeps.walk<UnansweredAction>(UNANSWERED, {
      pageSize: PAGE,
      roundMs,
      page: (behind) =>
        this.unitOfWork.system('actions of every organisation have deadlines', (tx) =>
          unansweredActions(tx, PAGE, behind),
        ),
      serve: (due) => this.endAll(UNANSWERED, due.map(ownedId), (tx, ids) => this.actions.giveUp(tx, ids)),
    });
  }

  /**
   * Checkpoints that go on beside one that failed. A sweep of its own: open actions never wait for the many
   * that are in error, each of which is looked at once.
   * @returns 0 if there is more to do
   */
  failSilentCheckpoints(roundMs = ROUND_MS): Promise<0 | undefined> {
    return this.sweeps.walk<UnansweredAction>(SILENT_CHECKPOINTS, {
      pageSize: PAGE,
      roundMs,
      page: (behind) =>
        this.unitOfWork.system('checkpoints of every organisation fall silent', (tx) =>
          partlyFailedActions(tx, this.environment.checkpointTimeoutSeconds, PAGE, behind),
        ),
      serve: (silent) =>
        this.endAll(SILENT_CHECKPOINTS, silent.map(ownedId), (tx, ids) => this.actions.failSilent(tx, ids)),
    });
  }

  /**
   * Restores that go on by what was reported, although no action has a deadline for them (any more).
   * @returns 0 if there is more to do
   */
  failSilentRestores(roundMs = ROUND_MS): Promise<0 | undefined> {
    return this.sweeps.walk<SilentRestore>(SILENT_RESTORES, {
      pageSize: PAGE,
      roundMs,
      page: (behind) =>
        this.unitOfWork.system('restores of every organisation fall silent', (tx) =>
          silentRestores(tx, this.environment.checkpointTimeoutSeconds, PAGE, behind),
        ),
      serve: (silent) =>
        this.endAll(
          SILENT_RESTORES,
          silent.map(({ org_id: orgId, operation_id: id }) => ({ orgId, id })),
          (tx, ids) => this.restores.failSilent(tx, ids),
        ),
    });
  }

  private endAll(sweep: string, rows: readonly OwnedId[], end: End): Promise<void> {
    return this.sweeps.each(sweep, setsOf(rows), (set) => this.endSet(sweep, set, end));
  }

  /**
   * Ends rows in one transaction. If that fails, it tries both halves, down to the one row that causes the
   * failure.
   */
  private async endSet(sweep: string, { orgId, ids }: IdSet, end: End): Promise<void> {
    try {
      await this.unitOfWork.run({ orgId }, (tx) => end(tx, ids));
    } catch (fault) {
      if (ids.length === 1 || isConnectionFault(fault)) throw fault;
      const middle = ids.length >> 1;
      const halves = [ids.slice(0, middle), ids.slice(middle)];
      await this.sweeps.each(sweep, halves, (half) => this.endSet(sweep, { orgId, ids: half }, end));
    }
  }

  /** @returns 0 if there is more to do */
  async presumeUploaded(): Promise<number | void> {
    const until = performance.now() + ROUND_MS;
    for (let moved = PAGE; moved === PAGE && !this.sweeps.stopping;) {
      if (performance.now() > until) return 0;
      moved = await this.unitOfWork.system('checkpoints of every organisation', (tx) => presumeUploaded(tx, PAGE));
    }
  }
}

type End = (tx: Tx, ids: readonly string[]) => Promise<void>;

interface OwnedId {
  readonly orgId: string;
  readonly id: string;
}

/** Rows of one organisation that one transaction ends. */
interface IdSet {
  readonly orgId: string;
  readonly ids: readonly string[];
}

function* setsOf(rows: readonly OwnedId[]): Generator<IdSet> {
  for (const [orgId, owned] of Map.groupBy(rows, (row) => row.orgId)) {
    const ids = owned.map(({ id }) => id);
    for (let start = 0; start < ids.length; start += ROWS_A_TRANSACTION)
      yield { orgId, ids: ids.slice(start, start + ROWS_A_TRANSACTION) };
  }
}
