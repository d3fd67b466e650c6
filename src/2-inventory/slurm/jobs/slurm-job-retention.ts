import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { forgetSilentJobs, type WalkedTo } from './slurm-jobs-write.queries';

/** Jobs per transaction. */
const JOBS_AT_ONCE = 2_000;

/** Deletes jobs without reports for a long time, ended or not. */
@Injectable()
export class SlurmJobRetention implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'silent Slurm jobs', everySeconds: 6 * 3_600, run: () => this.run() });
  }

  /** @param jobsAtOnce smaller in tests only */
  async run(jobsAtOnce = JOBS_AT_ONCE): Promise<void> {
    const days = this.environment.slurmJobRetentionDays;
    let behind: WalkedTo | undefined;
    do {
      const from = behind;
      behind = await this.unitOfWork.system('jobs that are no longer reported', (tx) =>
        forgetSilentJobs(tx, days, from, jobsAtOnce),
      );
    } while (behind !== undefined && !this.sweeps.stopping);
  }
}
