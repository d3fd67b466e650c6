import { DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment';
import { LOGGER } from '../common/logger';
import { connectionOptions, dataSourceOptions } from './connections/data-source-options';
import { DataDisk } from './connections/data-disk';
import { DatabaseWatch } from './connections/database-watch';
import { Notifications } from './connections/notifications';
import { StatementPool } from './connections/statement-pool';
import { UnitOfWork } from './transactions/unit-of-work';

@Module({})
export class DatabaseModule {
  static with(environment: Environment): DynamicModule {
    const { databaseUrl = '', databasePoolSize, databaseStatementTimeoutMs } = environment;
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [DatabaseWatch],
          useFactory: (watch: DatabaseWatch) => ({
            ...dataSourceOptions({
              databaseUrl,
              poolSize: databasePoolSize,
              statementTimeoutMs: databaseStatementTimeoutMs,
              watch,
            }),
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        {
          provide: DatabaseWatch,
          inject: [LOGGER],
          useFactory: (logger: Logger) => {
            const statementTimeoutMs = databaseStatementTimeoutMs;
            return new DatabaseWatch(connectionOptions({ databaseUrl, poolSize: 1, statementTimeoutMs }), logger);
          },
        },
        UnitOfWork,
        StatementPool,
        Notifications,
        DataDisk,
      ],
      exports: [DatabaseWatch, DataDisk, UnitOfWork, StatementPool, Notifications],
    };
  }
}
