import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { ArtifactsController } from './artifacts.controller';
import { ArtifactsService } from './artifacts.service';
import { ArtifactPlaces } from './residency/artifact-places';

@Module({
  imports: [ProfilesModule],
  controllers: [ArtifactsController],
  providers: [ArtifactsService, ArtifactPlaces],
  exports: [ArtifactsService, ArtifactPlaces],
})
export class ArtifactsModule {}
