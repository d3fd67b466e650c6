import { Module } from '@nestjs/common';
import { ArtifactsModule } from '../artifacts/artifacts.module';
import { ProfilesModule } from '../profiles/profiles.module';
import { CheckpointRequestsController } from './checkpoint-requests.controller';
import { CheckpointRequestsService } from './checkpoint-requests.service';

@Module({
  imports: [ProfilesModule, ArtifactsModule],
  controllers: [CheckpointRequestsController],
  providers: [CheckpointRequestsService],
  exports: [CheckpointRequestsService],
})
export class CheckpointRequestsModule {}
