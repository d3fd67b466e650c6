import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { ArtifactsController } from './artifacts.controller';
import { ArtifactsService } from './artifacts.service';
import { ClusterArtifacts } from './residency/cluster-artifacts';

@Module({
  imports: [ProfilesModule],
  controllers: [ArtifactsController],
  providers: [ArtifactsService, ClusterArtifacts],
  exports: [ArtifactsService, ClusterArtifacts],
})
export class ArtifactsModule {}
