import { Module } from '@nestjs/common';
import { AuthorizationsModule } from '../authorizations/authorizations.module';
import { RoutesModule } from '../routes/routes.module';
import { RouterController } from './router.controller';
import { RouterService } from './router.service';

@Module({ imports: [AuthorizationsModule, RoutesModule], controllers: [RouterController], providers: [RouterService] })
export class RouterModule {}
