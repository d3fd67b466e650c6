import { Column, Entity, JoinColumn, ManyToOne } from 'typeorm';
import { Integer, Key } from '../../1-platform/database/rows/columns';
import { Organisation } from '../../1-platform/organisations/organisation.entity';

/** A host as its daemon last reported it. */
@Entity('hosts')
export class Host {
  @Key('hosts')
  orgId!: string;

  @Key('hosts', 'text')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'hosts_org_fkey' })
  organisation?: Organisation;

  /** As text: members keep their order and numbers their digits, and a short `1e99999` stays short. */
  @Column({ type: 'json' })
  object!: object;

  @Integer()
  objectBytes!: number;
}
