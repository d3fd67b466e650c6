import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { ProfileObservationsController } from './profile-observations.controller';
import { ProfileObservationsService } from './profile-observations.service';

@Module({
  imports: [ProfilesModule],
  controllers: [ProfileObservationsController],
  providers: [ProfileObservationsService],
})
export class ProfileObservationsModule {}
