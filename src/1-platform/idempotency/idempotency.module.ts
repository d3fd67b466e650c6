import { Module, type OnModuleInit } from '@nestjs/common';
import { Sweeps } from '../scheduling/sweeps';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { IdempotencyService } from './idempotency.service';
import { forgetOldKeys } from './idempotency.queries';

/** A transaction deletes so many keys. */
const KEYS_AT_ONCE = 5_000;

@Module({ providers: [IdempotencyService], exports: [IdempotencyService] })
export class IdempotencyModule implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    const forget = (limit: number) => this.unitOfWork.system('keys of yesterday', (tx) => forgetOldKeys(tx, limit));
    const run = () => this.sweeps.repeat(KEYS_AT_ONCE, forget);
    this.sweeps.add({ name: 'idempotency keys', everySeconds: 600, run });
  }
}
