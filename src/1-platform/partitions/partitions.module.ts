import { Global, Module } from '@nestjs/common';
import { Partitions } from './partitions';

@Global()
@Module({ providers: [Partitions], exports: [Partitions] })
export class PartitionsModule {}
