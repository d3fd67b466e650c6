import { Check, Entity, JoinColumn, ManyToOne, Unique } from 'typeorm';
import { applyDecorators } from '@nestjs/common';
import { DatabaseTimestamp, KeptJson, Key, Text, Timestamp } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

export const CLUSTER_KINDS = ['kubernetes', 'slurm'] as const;
export type ClusterKind = (typeof CLUSTER_KINDS)[number];

@Entity('clusters')
@Unique('clusters_name_key', ['orgId', 'name'])
@Check('clusters_kind_check', "kind in ('kubernetes', 'slurm')")
export class Cluster {
  @Key('clusters')
  orgId!: string;

  @Key('clusters')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'clusters_org_fkey' })
  organisation?: Organisation;

  @Text()
  name!: string;

  @Text()
  kind!: ClusterKind;

  /**
   * Time of the cluster's last report, by the database's clock, which also decides whether the cluster is
   * active.
   */
  @Timestamp({ nullable: true })
  lastSync!: Date | null;

  /** As last reported. */
  @KeptJson({ nullable: true })
  metadata!: object | null;

  @DatabaseTimestamp()
  createdAt!: Date;
}

/** The cluster of a row: deleting the cluster deletes the row, and both belong to one organisation. */
export const ClusterReference = (table: string): PropertyDecorator =>
  applyDecorators(
    ManyToOne<Cluster>(() => Cluster, { onDelete: 'CASCADE' }),
    JoinColumn([
      { name: 'org_id', referencedColumnName: 'orgId', foreignKeyConstraintName: `${table}_cluster_fkey` },
      { name: 'cluster_id', referencedColumnName: 'id', foreignKeyConstraintName: `${table}_cluster_fkey` },
    ]),
  );
