import { Module } from '@nestjs/common';
import { SpendingModule } from '../spending/spending.module';
import { RoutesModule } from '../routes/routes.module';
import { ExternalRoutersController } from './external-routers.controller';
import { ExternalRoutersService } from './external-routers.service';

@Module({
  imports: [SpendingModule, RoutesModule],
  controllers: [ExternalRoutersController],
  providers: [ExternalRoutersService],
})
export class ExternalRoutersModule {}
