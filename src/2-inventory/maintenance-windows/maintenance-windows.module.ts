import { Module } from '@nestjs/common';
import { SlurmModule } from '../slurm/slurm.module';
import { MaintenanceWindowsController } from './maintenance-windows.controller';
import { MaintenanceWindowsService } from './maintenance-windows.service';

@Module({
  imports: [SlurmModule],
  controllers: [MaintenanceWindowsController],
  providers: [MaintenanceWindowsService],
})
export class MaintenanceWindowsModule {}
