import { Module } from '@nestjs/common';
import { SlurmModule } from '../slurm/slurm.module';
import { SlurmInventoryController } from './slurm-inventory.controller';
import { SlurmInventoryService } from './slurm-inventory.service';

@Module({ imports: [SlurmModule], controllers: [SlurmInventoryController], providers: [SlurmInventoryService] })
export class SlurmInventoryModule {}
