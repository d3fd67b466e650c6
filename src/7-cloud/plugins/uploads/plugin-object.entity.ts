import { Check, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { BigInteger, DatabaseTimestamp, Key, Text, Timestamp } from '../../../1-platform/database/rows/columns';
import { Organisation } from '../../../1-platform/organisations/organisation.entity';
import type { ObjectState, PluginKind, PluginSlot } from './plugin-objects';

/**
 * An announced object of the object storage. Every upload announces two: one for its version, and one that is
 * the latest from then on. Neither replaces another's bytes.
 */
@Entity('plugin_objects')
@Index('plugin_objects_file_idx', ['orgId', 'name', 'arch', 'build', 'announcedAt'])
@Index('plugin_objects_plugin_idx', ['orgId', 'arch', 'build', 'plugin', 'version', 'name', 'announcedAt'])
@Index('plugin_objects_awaited_idx', ['announcedAt', 'id'], { where: "state = 'awaited'" })
@Check('plugin_objects_slot_check', "slot in ('version', 'latest')")
@Check('plugin_objects_kind_check', "kind in ('binary', 'library')")
@Check('plugin_objects_state_check', "state in ('awaited', 'available', 'mismatched', 'gone')")
export class PluginObject {
  @Key('plugin_objects')
  orgId!: string;

  @Key('plugin_objects')
  id!: string;

  @ManyToOne(() => Organisation, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'org_id', foreignKeyConstraintName: 'plugin_objects_org_fkey' })
  organisation?: Organisation;

  @Text()
  slot!: PluginSlot;

  /** The name of the download. */
  @Text()
  name!: string;

  /** The plugin of the file. */
  @Text()
  plugin!: string;

  @Text()
  kind!: PluginKind;

  @Text()
  installDir!: string;

  @Text()
  version!: string;

  @Text()
  arch!: string;

  @Text()
  build!: string;

  /** Empty if its publisher named none. */
  @Text()
  repository!: string;

  /** Range of semver of the daemons that its version fits; null: all. */
  @Text({ nullable: true })
  daemonVersions!: string | null;

  /** As stated: MD5 or SHA-256, by its length. */
  @Text({ nullable: true })
  checksum!: string | null;

  @Text()
  objectKey!: string;

  @Text()
  state!: ObjectState;

  /** Of the bytes that were checked. */
  @Text({ nullable: true })
  objectTag!: string | null;

  @BigInteger({ nullable: true })
  sizeBytes!: number | null;

  @DatabaseTimestamp()
  announcedAt!: Date;

  /** When it was found to be there. */
  @Timestamp({ nullable: true })
  publishedAt!: Date | null;
}
