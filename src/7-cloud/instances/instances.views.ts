import { definedMembers } from '../../1-platform/common/fields/defined-members';
import { faultMessage, type MachineFacts, type Offer } from './providers/instance-provider';
import { DELETED, mayRun, ORPHANED, statusOf, type CREATING, type PENDING, type Standing } from './instance.states';
import type {
  BurstingStatusView,
  CreatedInstanceView,
  CreateInstanceBody,
  InstanceStatusView,
  InstanceTypeView,
  InstanceView,
} from './instances.dto';
import type { InstanceRow, ListedInstance } from './instances.queries';
import type { AccountState } from './providers/provider-accounts.queries';
import { isOf, type Orphan } from './machines/reconcile';

/** For an active machine whose port is not reported. */
const SSH_PORT = 22;
const ACTIVE = 'active';

export const createdView = (
  id: string,
  { cloud, marketplace_instance_type, region }: CreateInstanceBody,
  status: typeof PENDING | typeof CREATING,
): CreatedInstanceView => ({
  instance_id: id,
  cloud_provider: cloud,
  instance_type: marketplace_instance_type,
  region,
  status,
});

export const listedView = (row: ListedInstance): InstanceView => ({
  id: row.id,
  name: row.name,
  cloud_provider: row.cloud,
  instance_type: row.instanceType,
  region: row.region,
  status: row.phase === null ? ORPHANED : statusOf({ ...row, phase: row.phase }),
  created_at: row.createdAt,
  reason: row.reason,
  hourly_price: row.facts?.hourlyPrice ?? null,
  cost_estimate: row.facts?.costEstimate ?? null,
  active_at: row.facts?.activeAt ?? null,
});

export const standingOf = ({ phase, providerStatus, deleteWantedAt }: InstanceRow): Standing => ({
  phase,
  providerStatus,
  deleteWanted: deleteWantedAt !== null,
});

export function statusView(row: InstanceRow, account: AccountState | undefined): InstanceStatusView {
  const status = statusOf(standingOf(row));
  return {
    instance_id: row.id,
    status,
    metadata: {
      name: row.name,
      cloud_provider: row.cloud,
      instance_type: row.instanceType,
      region: row.region,
      marketplace_id: row.providerId,
      ...(row.reason === null ? {} : { reason: row.reason }),
      asked_at: row.askedAt,
      seen_at: row.seenAt,
      ...(outOfReach(row, account) ?? staleness(account)),
      ...factsShown(row.facts),
      ...(row.asked ? { asked: row.asked } : {}),
    },
    created_at: row.createdAt,
    ...addressOf(row.facts, status),
  };
}

export const orphanStatusView = (orphan: Orphan, account: AccountState | undefined): InstanceStatusView => ({
  instance_id: orphan.providerId,
  status: ORPHANED,
  metadata: {
    name: orphan.name,
    cloud_provider: orphan.cloud,
    instance_type: orphan.type,
    region: orphan.region,
    marketplace_id: orphan.providerId,
    marketplace_status: orphan.status,
    ...staleness(account),
    ...factsShown(orphan.facts),
  },
  created_at: null,
  ...addressOf(orphan.facts, orphan.status),
});

/** A machine that the configured marketplace and key do not show. */
function outOfReach(row: InstanceRow, account: AccountState | undefined): object | undefined {
  if (!mayRun(row) || (account && isOf(row, account.account))) return undefined;
  return {
    stale_since: row.seenAt ?? row.askedAt ?? row.createdAt,
    stale_reason: account
      ? 'the machine was rented with another key of the marketplace'
      : 'no marketplace is configured',
  };
}

const staleness = (account: AccountState | undefined): object =>
  account?.failingSince && account.failure
    ? { stale_since: account.listedAt ?? account.failingSince, stale_reason: faultMessage(account.failure) }
    : {};

const factsShown = (facts: MachineFacts | null): object =>
  facts
    ? {
        cloud_instance_type: facts.cloudInstanceType,
        status_details: facts.statusDetails,
        hourly_price: facts.hourlyPrice,
        cost_estimate: facts.costEstimate,
        marketplace_created_at: facts.createdAt,
        active_at: facts.activeAt,
        deleted_at: facts.deletedAt,
      }
    : {};

function addressOf(facts: MachineFacts | null, status: string) {
  // The address may belong to somebody else by now.
  if (!facts || status === DELETED) return { ip_address: null, ssh_user: null, ssh_port: null };
  const { ip, sshUser, sshPort } = facts;
  return { ip_address: ip, ssh_user: sshUser, ssh_port: sshPort ?? (status === ACTIVE ? SSH_PORT : null) };
}

/** @param account undefined if none is configured */
export function burstingView(account: AccountState | undefined): BurstingStatusView {
  if (!account)
    return {
      status: 'not_configured',
      message: 'No marketplace is configured: set MARKETPLACE_API_KEY.',
      can_use_bursting: false,
    };
  const { verdict, failingSince, failure } = account;
  const failing = failingSince && failure && failure !== 'key_refused' ? { failing_since: failingSince } : {};
  const trouble = failingSince && failure ? `${faultMessage(failure)}, since ${failingSince.toISOString()}` : undefined;
  if (verdict === 'refused')
    return {
      status: 'invalid',
      message: `The marketplace refuses the key${trouble && failure !== 'key_refused' ? `; and now ${trouble}` : ''}.`,
      can_use_bursting: false,
      ...failing,
    };
  if (verdict === null)
    return {
      status: 'configured',
      message: trouble ? `Not yet confirmed: ${trouble}.` : 'Not yet confirmed: the marketplace is being asked.',
      can_use_bursting: false,
      ...failing,
    };
  return {
    status: 'configured',
    message: trouble
      ? `The marketplace accepted the key when it last answered, but now ${trouble}.`
      : 'The marketplace accepts the key.',
    can_use_bursting: true,
    ...failing,
  };
}

export const typeView = (offer: Offer): InstanceTypeView => ({
  cloud: offer.cloud,
  cloud_instance_type: offer.cloudInstanceType,
  deployment_type: offer.deploymentType,
  marketplace_instance_type: offer.type,
  hourly_price: offer.hourlyPrice,
  availability: offer.availability.map(({ available, displayName, region }) =>
    definedMembers({ available, display_name: displayName, region }),
  ),
  boot_time: definedMembers({ min_boot_in_sec: offer.bootTime.minSeconds, max_boot_in_sec: offer.bootTime.maxSeconds }),
  configuration: definedMembers({
    gpu_type: offer.configuration.gpuType,
    interconnect: offer.configuration.interconnect,
    memory_in_gb: offer.configuration.memoryGb,
    num_gpus: offer.configuration.gpus,
    storage_in_gb: offer.configuration.storageGb,
    vcpus: offer.configuration.vcpus,
    vram_per_gpu_in_gb: offer.configuration.vramPerGpuGb,
    nvlink: offer.configuration.nvlink,
    os_options: offer.configuration.osOptions && [...offer.configuration.osOptions],
  }),
});
