import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { RetentionPoliciesController } from './retention-policies.controller';
import { RetentionPoliciesService } from './retention-policies.service';
import { RetentionRuns } from './retention-runs';

@Module({
  imports: [ProfilesModule],
  controllers: [RetentionPoliciesController],
  providers: [RetentionPoliciesService, RetentionRuns],
})
export class RetentionPoliciesModule {}
