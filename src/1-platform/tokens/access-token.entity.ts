import { Check, Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, Unique } from 'typeorm';
import type { Role, Scope } from '../endpoints/access';
import { Organisation } from '../organisations/organisation.entity';

/** A bearer's digest and its permissions. The token itself is shown once and never stored. */
@Entity('access_tokens')
@Unique('access_tokens_digest_key', ['digest'])
@Check('access_tokens_role_check', "role in ('admin', 'operator', 'viewer', 'controller')")
@Check('access_tokens_scope_check', "scope = 'organisation' or (scope = 'platform' and role = 'admin')")
export class AccessToken {
  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'access_tokens_pkey' })
  orgId!: string;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'access_tokens_pkey' })
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'access_tokens_org_fkey' })
  organisation?: Organisation;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  role!: Role;

  @Column({ type: 'text', default: 'organisation' })
  scope!: Scope;

  /** SHA-256 of the token. */
  @Column({ type: 'bytea' })
  digest!: Buffer;

  @Column({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** Stored to the minute. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
