import { DynamicModule, Module } from '@nestjs/common';
import { Clock, SystemClock } from '../common/clock';
import type { Environment } from './environment';

/** Token of the frozen environment. */
export const ENVIRONMENT = Symbol('ENVIRONMENT');

@Module({})
export class ConfigModule {
  static with(environment: Environment, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        { provide: Clock, useValue: clock },
      ],
      exports: [ENVIRONMENT, Clock],
    };
  }
}
