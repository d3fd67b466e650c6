import { Injectable, type OnModuleInit } from '@nestjs/common';
import { isConnectionFault } from '../../1-platform/database/connections/database-errors';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ActionsService } from './actions/actions.service';
import { unansweredActions, type UnansweredAction } from './actions/actions.queries';
import { presumeUploaded } from './checkpoints.queries';

const UNANSWERED = 'unanswered actions';
const EVERY_SECONDS = 10;

/** A longer round hands over to the next one. */
const ROUND_MS = 8_000;

/** Rows per query. */
const PAGE = 1_000;

/**
 * Actions that one transaction ends. It locks them and their organisation's totals for some 50 milliseconds.
 */
const ACTIONS_A_TRANSACTION = 200;

/** Handles actions and checkpoints without reports. Deadlines follow the database's clock. */
@Injectable()
export class CheckpointSweeps implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly actions: ActionsService,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: UNANSWERED, everySeconds: EVERY_SECONDS, run: () => this.failUnanswered() });
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
      serve: (due) => this.sweeps.each(UNANSWERED, setsOf(due), (set) => this.giveUp(set)),
    });
  }

  /**
   * Ends actions in one transaction. If that fails, it tries both halves, down to the one action that causes
   * the failure.
   */
  private async giveUp({ orgId, ids }: ActionSet): Promise<void> {
    try {
      await this.unitOfWork.run({ orgId }, (tx) => this.actions.giveUp(tx, ids));
    } catch (fault) {
      if (ids.length === 1 || isConnectionFault(fault)) throw fault;
      const middle = ids.length >> 1;
      const halves = [ids.slice(0, middle), ids.slice(middle)];
      await this.sweeps.each(UNANSWERED, halves, (half) => this.giveUp({ orgId, ids: half }));
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

/** The actions of one organisation that one transaction ends. */
interface ActionSet {
  readonly orgId: string;
  readonly ids: readonly string[];
}

function* setsOf(due: readonly UnansweredAction[]): Generator<ActionSet> {
  for (const [orgId, actions] of Map.groupBy(due, ({ org_id }) => org_id)) {
    const ids = actions.map(({ id }) => id);
    for (let start = 0; start < ids.length; start += ACTIONS_A_TRANSACTION)
      yield { orgId, ids: ids.slice(start, start + ACTIONS_A_TRANSACTION) };
  }
}
