import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { SlurmInventoryController } from './slurm-inventory.controller';
import { SlurmInventoryService } from './slurm-inventory.service';

@Module({ imports: [ClustersModule], controllers: [SlurmInventoryController], providers: [SlurmInventoryService] })
export class SlurmInventoryModule {}
