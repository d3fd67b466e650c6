import { DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment';
import { LOGGER } from '../common/logger';
import { connectionOptions, dataSourceOptions } from './data-source-options';
import { DataDisk } from './data-disk';
import { DatabaseWatch } from './database-watch';
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
