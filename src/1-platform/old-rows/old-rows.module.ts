import { type DynamicModule, Module } from '@nestjs/common';
import { KEPT_ROWS, OldRows, type KeptRows } from './old-rows';

@Module({})
export class OldRowsModule {
  /** @param kept the table of what is removed after how long */
  static with(kept: readonly KeptRows[]): DynamicModule {
    return { module: OldRowsModule, providers: [OldRows, { provide: KEPT_ROWS, useValue: kept }] };
  }
}
