import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A creating request and its answer, for as long as it may be repeated. */
@Entity('idempotency_keys')
@Index('idempotency_keys_created_idx', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  orgId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  actorId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  operation!: string;

  /** SHA-256 of the key, because its text may be sensitive. */
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  keyDigest!: Buffer;

  /** SHA-256 of the target and the body as received, hexadecimal. */
  @Column({ type: 'text' })
  requestDigest!: string;

  /**
   * JSON text of the answer; sealed with the caller's bearer if it contains a secret. Null while in progress.
   */
  @Column({ type: 'bytea', nullable: true })
  answer!: Buffer | null;

  /** Status of the answer; null while in progress. */
  @Column({ type: 'integer', nullable: true })
  status!: number | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
