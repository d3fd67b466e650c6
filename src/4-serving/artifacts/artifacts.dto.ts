import { Bool, Int, Json, ListOf, Obj, OneOf, Str, Strings, Time, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { ProfileId } from '../profiles/profiles.dto';
import { comparison, SEVERITIES, type Severity } from './compatibility/machine-compatibility';
import { RESIDENCY_STATES, type ResidencyState } from './residency/artifact-residency';
import { ARTIFACT_STATUSES, TIERS, REPORTED_STATUSES, type Tier, type ReportedStatus } from './artifact.states';

export const DEFAULT_ARTIFACTS = 100;

const MAX_ARTIFACT_ID = 512;
const MAX_URI = 4_096;
const MAX_DEADLINE_MS = 30 * 86_400_000;

export const ArtifactId = (options: { optional?: boolean; nullable?: boolean; description?: string } = {}) =>
  Str({ min: 1, max: MAX_ARTIFACT_ID, ...options });

const Bytes = (description: string) => Int({ optional: true, nullable: true, min: 0, description });

export class RegisterArtifactBody {
  @ArtifactId()
  artifact_id!: string;

  @Str({ min: 1, max: 64, description: 'How the checkpoint was taken' })
  checkpoint_mode!: string;

  @Str({ min: 1, max: 256, description: 'Which workers it fits: the compatibility_key of a profile' })
  compatibility_key!: string;

  @ProfileId()
  profile_id!: string;

  @Str({ max: MAX_URI, description: 'Its location' })
  uri!: string;

  @Str({ optional: true, nullable: true, max: 256 })
  checksum?: string | null;

  @Bytes('What a restore of it and of all its ancestors brings back')
  logical_bytes?: number | null;

  @ArtifactId({ optional: true, nullable: true, description: 'The artifact whose difference it holds' })
  parent_artifact_id?: string | null;

  @Bytes('Its size on the storage')
  physical_bytes?: number | null;

  @Bytes('What it shares with its parent')
  reused_bytes?: number | null;

  @Str({ optional: true, nullable: true, min: 1, max: 64, description: 'Who took it; `controller` by default' })
  source?: string | null;

  @OneOf(TIERS, { optional: true, nullable: true, description: 'From hot to cold; `object` by default' })
  storage_tier?: Tier | null;

  @Bytes('What was written to take it')
  written_bytes?: number | null;

  @Json({
    optional: true,
    description:
      'Any JSON. The service reads `node_name` and `node_boot_id` (of the node that holds it), `cluster_id`, ' +
      '`engine_flags`, and `machine` (on which it was taken, as `artifacts/lookup` names it)',
  })
  metadata?: unknown;
}

export class ListArtifactsQuery {
  @ArtifactId({ optional: true, description: 'Only this one' })
  artifact_id?: string;

  @ProfileId({ optional: true })
  profile_id?: string;

  @Str({ optional: true, max: MAX_URI, description: 'Its location, of whichever profile' })
  uri?: string;

  @Str({ optional: true, description: `One of ${ARTIFACT_STATUSES.join(', ')}` })
  status?: string;

  @Str({ optional: true, description: 'Its checkpoint_mode' })
  mode?: string;

  @Uuid({ optional: true, description: 'The cluster that holds it, as its registration or its checkpoint named it' })
  cluster_id?: string;

  @Bool({
    query: true,
    optional: true,
    description: 'true: only deleted and expired ones whose bytes nobody has confirmed to be gone',
  })
  awaiting_removal?: boolean;

  @Int({ query: true, optional: true, min: 1, max: MAX_ROWS, showMax: true, default: DEFAULT_ARTIFACTS })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, description: 'Rows to skip' })
  offset?: number;
}

export class DeleteArtifactQuery {
  @Bool({ query: true, optional: true, description: 'Also a golden one, and a parent of others' })
  force?: boolean;
}

export class UpdateArtifactBody {
  @OneOf(REPORTED_STATUSES, {
    optional: true,
    nullable: true,
    description:
      'Operators set golden and quarantined, and take them back with ready; controllers report ready or expired',
  })
  status?: ReportedStatus | null;

  @Bool({
    optional: true,
    nullable: true,
    deprecated: true,
    description: 'Kept for old clients; the service does not use it',
  })
  restore_count_increment?: boolean | null;

  @OneOf(['confirmed', 'failed'], { optional: true, description: 'The result of a pending promotion' })
  promotion?: 'confirmed' | 'failed';

  @OneOf(TIERS, {
    optional: true,
    nullable: true,
    description:
      'Of the promotion whose result this is: its tier. A promotion to another tier stays pending, and the answer is ' +
      '`no_promotion_pending`; by default, the result is that of whatever promotion is pending',
  })
  tier?: Tier | null;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 253,
    description:
      'Of a confirmed promotion: the node that holds a copy of the bytes now, while the original stays where it was; by ' +
      'default, the known one, and the original is known to stay only in the object storage of the service',
  })
  node_name?: string | null;

  @Str({
    optional: true,
    nullable: true,
    min: 1,
    max: 253,
    description:
      'Of a confirmed promotion: the present boot of that node; by default, the known one, unless `node_name` is ' +
      'another node than before',
  })
  node_boot_id?: string | null;
}

export class PromoteArtifactBody {
  @OneOf(TIERS, { description: 'A hotter tier than the present one' })
  tier!: Tier;

  @Int({
    optional: true,
    nullable: true,
    format: null,
    min: 1,
    max: MAX_DEADLINE_MS,
    description: 'Milliseconds from now until the promotion fails',
  })
  deadline_ms?: number | null;
}

/** Each member has `x-comparison`: what a machine must have of it, and how much a mismatch counts. */
export class MachineBody {
  @Str({
    optional: true,
    max: 64,
    description: 'As uname -m prints it',
    example: 'x86_64',
    extensions: comparison('architecture'),
  })
  architecture?: string;

  @Int({
    optional: true,
    format: 'int32',
    min: 1,
    description: 'Bytes',
    example: 4096,
    extensions: comparison('page_size'),
  })
  page_size?: number;

  @Str({ optional: true, max: 64, description: 'Version of CRIU', example: '4.2', extensions: comparison('criu') })
  criu?: string;

  @Strings({
    optional: true,
    maxItems: 2_000,
    maxLength: 64,
    description: 'Flags of /proc/cpuinfo',
    extensions: comparison('cpu_flags'),
  })
  cpu_flags?: string[];

  @Strings({
    optional: true,
    maxItems: 64,
    maxLength: 64,
    description:
      'Such as inotify, ipv6, seccomp and tun: of the machine of a restore, what its kernel has; of that of an artifact, what its images need',
    example: ['inotify', 'ipv6', 'seccomp'],
    extensions: comparison('kernel_features'),
  })
  kernel_features?: string[];

  @Str({ optional: true, max: 256, example: 'glibc 2.39', extensions: comparison('libc') })
  libc?: string;

  @Str({
    optional: true,
    max: 16,
    description: 'v1, v2 or hybrid',
    example: 'v2',
    extensions: comparison('cgroup_mode'),
  })
  cgroup_mode?: string;

  @Str({
    optional: true,
    max: 256,
    description: 'That of the image of its container',
    extensions: comparison('image_digest'),
  })
  image_digest?: string;

  @Strings({
    optional: true,
    maxItems: 256,
    maxLength: 256,
    description: 'The model of each GPU',
    example: ['NVIDIA L4'],
    extensions: comparison('gpus'),
  })
  gpus?: string[];

  @Str({ optional: true, max: 64, description: 'Version of the driver', extensions: comparison('gpu_driver') })
  gpu_driver?: string;
}

export class LookupArtifactsBody {
  @ProfileId({
    optional: true,
    description: 'The profile whose next worker is to be restored; or give a compatibility key',
  })
  profile_id?: string;

  @Str({
    optional: true,
    min: 1,
    max: 256,
    description: 'What a restored worker must be compatible with; or give a profile',
  })
  compatibility_key?: string;

  @Str({ optional: true, nullable: true, min: 1, max: 253, description: 'The node of the restored worker' })
  node_name?: string | null;

  @Obj(() => MachineBody, {
    optional: true,
    description: 'The machine of the restored worker, which is compared with that on which each artifact was taken',
  })
  machine?: MachineBody;
}

export class ArtifactResidencyView {
  @Str({ description: `restorable, or the first check that fails: ${RESIDENCY_STATES.slice(1).join(', ')}` })
  state!: ResidencyState;

  @Str({ description: 'One sentence that names the evidence' })
  reason!: string;

  @Bool({ description: 'Whether a reboot of its node deletes it: on the tiers memory and local' })
  boot_tied!: boolean;

  @Str({
    nullable: true,
    description:
      'The tier that still holds the original, if it is a copy: it is restored from that once the copy is not there; null ' +
      'if it is none, or nobody knows of an original',
  })
  original_tier!: Tier | null;

  @Bool({
    description:
      'Whether it is a copy that a reboot of its node deleted, while the original and the node are there: a promotion to its tier makes it again',
  })
  copy_lost!: boolean;

  @Str({ nullable: true, description: 'The boot of the node in which it was taken' })
  artifact_boot_id!: string | null;

  @Str({ nullable: true, description: 'The present boot of the node, as its cluster last reported' })
  node_boot_id!: string | null;

  @Str({ nullable: true })
  node_name!: string | null;

  @Str({ nullable: true })
  node_status!: string | null;

  @Time({ nullable: true })
  node_last_sync!: Date | null;

  @Bool({
    nullable: true,
    description: 'Whether engines start with the flags it was taken with; null if one of them is not known',
  })
  flags_verified!: boolean | null;
}

export class ArtifactView {
  @Str()
  artifact_id!: string;

  @Str()
  profile_id!: string;

  @Str()
  logical_model!: string;

  @Str()
  exact_model!: string;

  @Str()
  hosting_mode!: string;

  @Str()
  compatibility_key!: string;

  @Str()
  checkpoint_mode!: string;

  @Str({ description: 'memory, local, shared or object' })
  storage_tier!: string;

  @Str()
  uri!: string;

  @Str()
  source!: string;

  @Str({ description: `One of ${ARTIFACT_STATUSES.join(', ')}: as last reported; a reboot does not change it` })
  status!: string;

  @Int({ deprecated: true, description: 'Not maintained: see observed_restores' })
  restore_count!: number;

  @Json({ description: 'As registered; `promotion` and `expiry` show later changes' })
  metadata!: unknown;

  @Time()
  created_at!: Date;

  @Time()
  updated_at!: Date;

  @Str({ nullable: true })
  checksum!: string | null;

  @Str({ nullable: true })
  parent_artifact_id!: string | null;

  @Int({ nullable: true })
  logical_bytes!: number | null;

  @Int({ nullable: true })
  physical_bytes!: number | null;

  @Int({ nullable: true })
  reused_bytes!: number | null;

  @Int({ nullable: true })
  written_bytes!: number | null;

  @Time({ nullable: true, description: 'When a worker last became ready from it' })
  last_restored_at!: Date | null;

  @Int({ nullable: true, description: 'Starts from it that became ready' })
  observed_restores!: number | null;

  @Int({ nullable: true, description: 'Starts from it, ready or not' })
  observed_restore_attempts!: number | null;

  @Time({ nullable: true, description: 'When its controller confirmed that its bytes are gone' })
  bytes_removed_at!: Date | null;

  @Obj(() => ArtifactResidencyView, { nullable: true, description: 'Computed at each read' })
  residency!: ArtifactResidencyView | null;
}

export class ArtifactMismatchView {
  @Str()
  property!: string;

  @Json({ description: 'Of cpu_flags, kernel_features and gpus, what the machine lacks; null if it is not known' })
  artifact_value!: unknown;

  @Json()
  wanted_value!: unknown;

  @OneOf(SEVERITIES, {
    description: 'block: it cannot be restored there; warn: it may work; unknown: no mismatch, as far as is known',
  })
  severity!: Severity;
}

export class ArtifactCandidateView {
  @Obj(() => ArtifactView)
  artifact!: ArtifactView;

  @Bool({ description: 'It is restorable, and no difference from what is requested blocks' })
  restorable!: boolean;

  @ListOf(() => ArtifactMismatchView, { maxItems: 20 })
  mismatches!: ArtifactMismatchView[];
}
