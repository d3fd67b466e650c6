import { Module } from '@nestjs/common';
import { ArtifactsModule } from '../artifacts/artifacts.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { ProfileCheckpointsController } from './profile-checkpoints.controller';
import { ProfileCheckpointsService } from './profile-checkpoints.service';

@Module({
  imports: [ProfilesModule, ArtifactsModule],
  controllers: [ProfileCheckpointsController],
  providers: [ProfileCheckpointsService],
  exports: [ProfileCheckpointsService],
})
export class ProfileCheckpointsModule {}
