import { Module, type OnModuleInit } from '@nestjs/common';
import { Sweeps } from '../scheduling/sweeps';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { IdempotencyService } from './idempotency.service';

const FORGET = {
  name: 'idempotency-forget',
  text: "delete from idempotency_keys where created_at < clock_timestamp() - interval '25 hours'",
};

@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    const run = async () => {
      await this.unitOfWork.system('keys of yesterday', (tx) => tx.prepared(FORGET, []));
    };
    this.sweeps.add({ name: 'idempotency keys', everySeconds: 600, run });
  }
}
