import { DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import type { Environment } from '../config/environment';
import { LOGGER } from '../common/logger';
import { connectionOptions, dataSourceOptions } from './connections/data-source-options';
import { DataDisk } from './connections/data-disk';
import { TransactionPool } from './connections/database-pool';
import { DatabaseWatch } from './connections/database-watch';
import { Notifications } from './connections/notifications';
import { StatementPool } from './connections/statement-pool';
import { UnitOfWork } from './transactions/unit-of-work';

@Module({})
export class DatabaseModule {
  static with(environment: Environment): DynamicModule {
    const {
      databaseUrl = '',
      databasePoolSize: poolSize,
      databaseStatementTimeoutMs: statementTimeoutMs,
    } = environment;
    const settings = { databaseUrl, poolSize, statementTimeoutMs };
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [TransactionPool],
          useFactory: (pool: TransactionPool) => ({ ...dataSourceOptions(settings, pool), retryAttempts: 0 }),
        }),
      ],
      providers: [
        {
          provide: DatabaseWatch,
          inject: [LOGGER],
          useFactory: (logger: Logger) => new DatabaseWatch(connectionOptions({ ...settings, poolSize: 1 }), logger),
        },
        {
          provide: TransactionPool,
          inject: [DatabaseWatch],
          useFactory: (watch: DatabaseWatch) => new TransactionPool(connectionOptions({ ...settings, watch })),
        },
        UnitOfWork,
        StatementPool,
        Notifications,
        DataDisk,
      ],
      exports: [DatabaseWatch, DataDisk, TransactionPool, UnitOfWork, StatementPool, Notifications],
    };
  }
}
