import { Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { Flag, Key, Text, Timestamp } from '../../../1-platform/database/rows/columns';
import { Artifact } from '../artifact.entity';
import type { Tier } from '../artifact.states';

/**
 * Where the bytes of an artifact were stored, and for how long. A trigger of `artifacts` maintains it: a stay
 * ends when a promotion is confirmed, and when the artifact is deleted or expires.
 */
@Entity('artifact_stays')
@Index('artifact_stays_open_idx', ['orgId', 'artifactId'], { unique: true, where: 'until is null' })
@Index('artifact_stays_ended_idx', ['orgId', 'until'], { where: 'until is not null' })
export class ArtifactStay {
  @Key('artifact_stays')
  orgId!: string;

  @Key('artifact_stays', 'text')
  artifactId!: string;

  @ManyToOne(() => Artifact, { onDelete: 'CASCADE' })
  @JoinColumn([
    { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: 'artifact_stays_artifact_fkey' },
    {
      name: 'artifact_id',
      referencedColumnName: 'artifactId',
      foreignKeyConstraintName: 'artifact_stays_artifact_fkey',
    },
  ])
  artifact?: Artifact;

  /** Counted per artifact, from 1. */
  @Key('artifact_stays', 'integer')
  stay!: number;

  @Text()
  tier!: Tier;

  /** Its bytes came from another tier. */
  @Flag()
  moved!: boolean;

  @Timestamp()
  since!: Date;

  /** Null while they are stored there. */
  @Timestamp({ nullable: true })
  until!: Date | null;
}
