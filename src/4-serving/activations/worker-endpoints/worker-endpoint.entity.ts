import { Entity } from 'typeorm';
import { DatabaseTimestamp, Key, Text } from '../../../1-platform/database/rows/columns';
import { Profile, ProfileReference } from '../../profiles/profile.entity';

/** The address of the engine metrics of a profile's worker. */
@Entity('worker_endpoints')
export class WorkerEndpoint {
  @Key('worker_endpoints')
  orgId!: string;

  @Key('worker_endpoints', 'text')
  profileId!: string;

  @ProfileReference('worker_endpoints')
  profile?: Profile;

  @Text()
  metricsUrl!: string;

  @Text({ nullable: true })
  podName!: string | null;

  @DatabaseTimestamp()
  updatedAt!: Date;
}
