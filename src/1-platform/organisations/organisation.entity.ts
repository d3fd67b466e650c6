import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** Owner of every row. */
@Entity('organisations')
@Unique('organisations_name_key', ['name'])
export class Organisation {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'organisations_pkey' })
  id!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}
