import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that created something, and what it was answered, for as long as it may be repeated. */
@Entity('idempotency_keys')
@Index('idempotency_keys_created_idx', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  orgId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  actorId!: string;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  operation!: string;

  /** SHA-256 of the key: what callers put there is not ours to keep. */
  @PrimaryColumn({ type: 'bytea', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  keyDigest!: Buffer;

  /** SHA-256 of the target and the body as they came, hexadecimal. */
  @Column({ type: 'text' })
  requestDigest!: string;

  /**
   * JSON text of the answer; sealed with the caller's bearer when it holds a secret. Null while under way.
   */
  @Column({ type: 'bytea', nullable: true })
  answer!: Buffer | null;

  /** Status of the answer; null while under way. */
  @Column({ type: 'integer', nullable: true })
  status!: number | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt!: Date;
}
