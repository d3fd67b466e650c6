import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { Sweeps } from '../scheduling/sweeps';
import { UnitOfWork } from '../database/unit-of-work';
import { ActionsService } from './actions.service';
import { CheckpointFacts } from './checkpoint-facts';
import { lockUnanswered, unansweredActions } from './actions.queries';
import { presumeUploaded } from './checkpoints.queries';

const EVERY_SECONDS = 10;

/** What happens to actions and checkpoints when nobody reports. Deadlines are the database's word. */
@Injectable()
export class CheckpointSweeps implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly actions: ActionsService,
    private readonly facts: CheckpointFacts,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'unanswered actions', everySeconds: EVERY_SECONDS, run: () => this.failUnanswered() });
    this.sweeps.add({ name: 'presumed uploads', everySeconds: EVERY_SECONDS, run: () => this.presumeUploaded() });
  }

  /** Each action in a transaction of its own, by the one replica that gets its lock while it is still due. */
  async failUnanswered(): Promise<void> {
    const due = await this.unitOfWork.system('actions of every organisation have deadlines', unansweredActions);
    const error = `no node answered in ${this.environment.checkpointTimeoutSeconds} seconds`;
    await this.sweeps.each('unanswered actions', due, ({ org_id: orgId, id }) =>
      this.unitOfWork.run({ orgId }, async (tx) => {
        const action = await lockUnanswered(tx, id);
        if (!action) return;
        await this.facts.failUnfinished(tx, action, error);
        await this.actions.moveTo(tx, action, 'error', error);
      }),
    );
  }

  async presumeUploaded(): Promise<void> {
    await this.unitOfWork.system('checkpoints of every organisation', presumeUploaded);
  }
}
