import { DynamicModule, Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Environment } from '../config/environment';
import { AbandonedUploads } from './abandoned-uploads';
import { LocalStorage } from './local-storage';
import { ObjectStorage } from './object-storage';
import { ObjectsController } from './objects.controller';
import { PublicAddress } from './public-address';
import { S3Storage } from './s3-storage';
import { TransferShares } from './transfer-shares';

/** Binds the port to a bucket if one is configured, else to a directory. */
@Module({})
export class ObjectStorageModule {
  static with(environment: Environment): DynamicModule {
    const { objectStorage } = environment;
    const shared = { module: ObjectStorageModule, global: true, exports: [ObjectStorage, PublicAddress] };
    if (objectStorage === undefined) {
      const useFactory = (clock: Clock) => new LocalStorage(environment, clock);
      return {
        ...shared,
        controllers: [ObjectsController],
        providers: [
          AbandonedUploads,
          PublicAddress,
          TransferShares,
          { provide: LocalStorage, useFactory, inject: [Clock] },
          { provide: ObjectStorage, useExisting: LocalStorage },
        ],
      };
    }
    const useFactory = (): Promise<ObjectStorage> => S3Storage.open(objectStorage, environment);
    return { ...shared, providers: [PublicAddress, { provide: ObjectStorage, useFactory }] };
  }
}
