import { Module } from '@nestjs/common';
import { AdmissionsModule } from '../admissions/admissions.module';
import { RoutesModule } from '../routes/routes.module';
import { ExternalRoutersController } from './external-routers.controller';
import { ExternalRoutersService } from './external-routers.service';

@Module({
  imports: [AdmissionsModule, RoutesModule],
  controllers: [ExternalRoutersController],
  providers: [ExternalRoutersService],
})
export class ExternalRoutersModule {}
