import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Sweeps } from '../database/sweeps';
import { UnitOfWork } from '../database/unit-of-work';

const FORGET = {
  name: 'idempotency-forget',
  text: "delete from idempotency_keys where created_at < clock_timestamp() - interval '25 hours'",
};

@Module({})
export class IdempotencyModule implements OnApplicationBootstrap {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onApplicationBootstrap(): void {
    const run = async () => {
      await this.unitOfWork.system('keys of yesterday', (tx) => tx.prepared(FORGET, []));
    };
    this.sweeps.start({ name: 'idempotency keys', everySeconds: 600, run });
  }
}
