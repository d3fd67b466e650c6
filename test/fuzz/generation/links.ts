import * as fc from 'fast-check';
import type { Json } from './json-text';

/**
 * Names of ids that a reply gives and a later request needs. Where operations use another word for the same
 * id, `SAME` says so.
 */
const NAMES = new Set([
  'action_id',
  'after',
  'artifact_id',
  'authorization_id',
  'checkpoint_id',
  'cluster_id',
  'compatibility_key',
  'consumer_id',
  'event_id',
  'experiment_id',
  'fleet_id',
  'gpu_uuid',
  'host_id',
  'instance_id',
  'instance_type',
  'job_id',
  'key_id',
  'legacy_checkpoint_id',
  'legacy_job_id',
  'logical_model',
  'namespace',
  'node_name',
  'operation_id',
  'organisation_id',
  'outbox_head',
  'path',
  'plugin',
  'pod_id',
  'pod_name',
  'pod_uid',
  'policy_id',
  'profile_id',
  'request_id',
  'restore_id',
  'restore_uuid',
  'retention_id',
  'slurm_action_id',
  'slurm_checkpoint_id',
  'slurm_cluster_id',
  'slurm_job_id',
  'token_id',
  'window_id',
  'workload_id',
]);

/** Members and parameters that mean one of `NAMES`, wherever they are. */
const SAME: Readonly<Record<string, string>> = {
  JID: 'legacy_job_id',
  checkpoint_action_id: 'action_id',
  classifier_profile_id: 'profile_id',
  model: 'logical_model',
  parent_artifact_id: 'artifact_id',
  parent_checkpoint_id: 'checkpoint_id',
  preferred_profile_id: 'profile_id',
};

/** What the whole text of a reply is. */
const TEXTS: Readonly<Record<string, string>> = {
  checkpoint_pod: 'action_id',
  checkpoint_slurm_job: 'slurm_action_id',
  create_checkpoint: 'checkpoint_id',
  create_maintenance_window: 'window_id',
  create_pipeline_policy: 'policy_id',
  create_slurm_checkpoint: 'slurm_checkpoint_id',
  restore_pod: 'action_id',
  restore_slurm_job: 'slurm_action_id',
  save_cluster: 'cluster_id',
  sync_cluster: 'pod_id',
};

/** What the plain member or parameter `id` is; by parts of operations' ids. */
const IDS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/_workloads?$/, 'workload_id'],
  [/slurm_inventory|_sync$/, ''],
  [/maintenance_window/, 'window_id'],
  [/legacy_job_checkpoint/, 'legacy_checkpoint_id'],
  [/legacy_job/, 'legacy_job_id'],
  [/host(s)?$/, 'host_id'],
  [/slurm_checkpoint_path|checkpoint_path/, ''],
  [/checkpoint_slurm_job|restore_slurm_job/, 'slurm_action_id'],
  [/slurm_checkpoint/, 'slurm_checkpoint_id'],
  [/newest_pod_action/, 'pod_id'],
  [/checkpoint_pod|restore_pod|_action(s)?$/, 'action_id'],
  [/profile_checkpoint/, 'request_id'],
  [/_checkpoint(s|_info|_uploaded|_progress|_removal)?$/, 'checkpoint_id'],
  [/_restore(s)?$/, 'restore_id'],
  [/operation(s)?$/, 'operation_id'],
  [/retention/, 'retention_id'],
  [/polic(y|ies)/, 'policy_id'],
  [/experiment/, 'experiment_id'],
  [/^(save_cluster|list_clusters|delete_cluster)$/, 'cluster_id'],
  [/sync_cluster$|pods(_paginated)?$/, 'pod_id'],
  [/job/, 'job_id'],
  [/outbox/, 'event_id'],
  [/organisation/, 'organisation_id'],
];

/** Exceptions by operation and member or parameter. */
const EXCEPT: Readonly<Record<string, string>> = {
  'list_lifecycle_events event_id': '',
  'record_lifecycle_event event_id': '',
  'delete_retention_policy policy_id': 'retention_id',
  'list_retention_policies policy_id': 'retention_id',
  'save_retention_policy policy_id': 'retention_id',
  'download_plugin_binary binary_name': 'plugin',
  'upload_plugin name': 'plugin',
  'restore_slurm_job action_id': 'slurm_action_id',
  'create_slurm_checkpoint action_id': 'slurm_action_id',
  'get_slurm_partition_timeseries name': '',
};

/** The name under which a member or parameter of an operation is known; undefined for none. */
export function linkName(operation: string, member: string): string | undefined {
  const except = EXCEPT[`${operation} ${member}`];
  if (except !== undefined) return except === '' ? undefined : except;
  if (member === 'jid' || (member === 'ID' && operation.includes('legacy_job'))) return 'legacy_job_id';
  if (['cluster_id', 'job_id'].includes(member) && /slurm|maintenance/.test(operation)) return `slurm_${member}`;
  if (member === '') return TEXTS[operation];
  if (member === 'id' || member === 'ID') {
    const found = IDS.find(([pattern]) => pattern.test(operation))?.[1];
    return found === '' ? undefined : found;
  }
  const name = SAME[member] ?? member;
  return NAMES.has(name) ? name : undefined;
}

/** Stands for an id that an earlier reply gave. */
export class Link {
  constructor(
    readonly member: string,
    readonly pick: number,
    /** While none is known. */
    readonly otherwise: string | undefined = undefined,
  ) {}

  static hasName(member: string): boolean {
    return member === 'id' || NAMES.has(SAME[member] ?? member);
  }

  static arbitrary(member: string): fc.Arbitrary<Link> {
    return fc.nat({ max: 999 }).map((pick) => new Link(member, pick));
  }
}

const KEPT = 24;
const NEWEST = 4;

/** The ids that replies gave, the newest of each name. */
export class KnownIds {
  private readonly ids = new Map<string, (string | number)[]>();

  /** @param spared never remembered: the campaign itself needs them */
  constructor(private readonly spared: ReadonlySet<string>) {}

  /** @param seen it was only read: others may be newer */
  remember(name: string, id: string | number, seen = false): void {
    if (id === '' || this.spared.has(String(id)) || String(id).length > 200) return;
    const known = this.ids.get(name) ?? [];
    if (seen && known.includes(id)) return;
    const others = known.filter((other) => other !== id);
    this.ids.set(name, seen ? [...others.slice(0, KEPT - 1), id] : [id, ...others].slice(0, KEPT));
  }

  /** @param pick below 500: one of the newest. @returns undefined if none is known */
  find(name: string, pick = 0): string | number | undefined {
    const known = this.ids.get(name) ?? [];
    return known[pick % Math.min(pick < 500 ? NEWEST : KEPT, Math.max(known.length, 1))];
  }

  /** Remembers the ids in a reply, or in the body of a request that succeeded. */
  learn(operation: string, value: Json | undefined, seen: boolean, member = ''): void {
    if (Array.isArray(value)) {
      // The first elements are those that the next page would show first, too.
      for (const element of value.slice(0, NEWEST)) this.learn(operation, element, seen, member.replace(/s$/, ''));
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) this.learn(operation, part as Json, seen, name);
    } else if (typeof value === 'string' || typeof value === 'number') {
      const name = linkName(operation, member);
      if (name !== undefined) this.remember(name, value, seen);
    }
  }
}
