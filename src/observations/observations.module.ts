import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { ObservationsController } from './observations.controller';
import { ObservationsService } from './observations.service';

@Module({ imports: [ProfilesModule], controllers: [ObservationsController], providers: [ObservationsService] })
export class ObservationsModule {}
