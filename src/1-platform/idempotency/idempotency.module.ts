import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { Repetitions } from '../endpoints/repetitions';
import { Sweeps } from '../scheduling/sweeps';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { IdempotencyService } from './idempotency.service';
import { forgetOldKeys } from './idempotency.queries';

@Global()
@Module({ providers: [{ provide: Repetitions, useClass: IdempotencyService }], exports: [Repetitions] })
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
