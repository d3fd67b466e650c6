import { DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Environment } from '../config/environment';
import { dataSourceOptions } from './data-source-options';
import { Notifications } from './notifications';
import { StatementPool } from './statement-pool';
import { UnitOfWork } from './unit-of-work';

@Module({})
export class DatabaseModule {
  static with(environment: Environment): DynamicModule {
    const { databaseUrl = '', databasePoolSize, databaseStatementTimeoutMs } = environment;
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions({
            databaseUrl,
            poolSize: databasePoolSize,
            statementTimeoutMs: databaseStatementTimeoutMs,
          }),
          retryAttempts: 0,
        }),
      ],
      providers: [UnitOfWork, StatementPool, Notifications],
      exports: [UnitOfWork, StatementPool, Notifications],
    };
  }
}
