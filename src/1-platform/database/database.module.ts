import { DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Logger } from 'pino';
import { directUrl, type Environment } from '../config/environment';
import { LOGGER } from '../common/logger';
import { connectionOptions, dataSourceOptions } from './connections/data-source-options';
import { DataDisk } from './connections/data-disk';
import { TransactionPool } from './connections/database-pool';
import { DatabaseWatch } from './connections/database-watch';
import { Notifications } from './connections/notifications';
import { StatementPool } from './connections/statement-pool';
import { ReadReplica } from './read-replica/read-replica';
import { UnitOfWork } from './transactions/unit-of-work';

@Module({})
export class DatabaseModule {
  static with(environment: Environment): DynamicModule {
    const {
      databaseUrl = '',
      databaseListenUrl,
      databasePoolSize: poolSize,
      databaseStatementTimeoutMs: statementTimeoutMs,
    } = environment;
    const settings = { databaseUrl, pooled: databaseListenUrl !== undefined, poolSize, statementTimeoutMs };
    // A pooler answers while its database does not, and does not while all its connections are in use.
    const probe = { databaseUrl: directUrl(environment), poolSize: 1, statementTimeoutMs };
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          inject: [TransactionPool],
          // The start has run the migrations before.
          useFactory: (pool: TransactionPool) => ({
            ...dataSourceOptions(settings, pool),
            migrations: [],
            retryAttempts: 0,
          }),
        }),
      ],
      providers: [
        {
          provide: DatabaseWatch,
          inject: [LOGGER],
          useFactory: (logger: Logger) => new DatabaseWatch(connectionOptions(probe), logger),
        },
        {
          provide: TransactionPool,
          inject: [DatabaseWatch],
          useFactory: (watch: DatabaseWatch) => new TransactionPool(connectionOptions({ ...settings, watch })),
        },
        UnitOfWork,
        StatementPool,
        ReadReplica,
        Notifications,
        DataDisk,
      ],
      exports: [DatabaseWatch, DataDisk, TransactionPool, UnitOfWork, StatementPool, ReadReplica, Notifications],
    };
  }
}
