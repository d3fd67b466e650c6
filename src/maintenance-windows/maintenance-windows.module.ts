import { Module } from '@nestjs/common';
import { ClustersModule } from '../clusters/clusters.module';
import { MaintenanceWindowsController } from './maintenance-windows.controller';
import { MaintenanceWindowsService } from './maintenance-windows.service';

@Module({
  imports: [ClustersModule],
  controllers: [MaintenanceWindowsController],
  providers: [MaintenanceWindowsService],
})
export class MaintenanceWindowsModule {}
