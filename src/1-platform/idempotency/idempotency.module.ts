import { Module, type OnModuleInit } from '@nestjs/common';
import { Sweeps } from '../scheduling/sweeps';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { IdempotencyService } from './idempotency.service';
import { forgetOldKeys } from './idempotency.queries';

@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    const run = () => this.unitOfWork.system('keys of yesterday', forgetOldKeys);
    this.sweeps.add({ name: 'idempotency keys', everySeconds: 600, run });
  }
}
