import { createHash } from 'node:crypto';
import type { Json } from '../generation/json-text';
import { Link } from '../generation/links';
import type { Basis } from '../generation/plans';
import type { Draft } from '../generation/schema-values';
import { buildJob, buildNode, buildPod, ownedBy } from '../../support/builders';
import { body1 } from '../../support/remote-write';

/** One request that makes or shows real rows. What it leaves out is that of the description's example. */
export interface Step extends Partial<Basis> {
  readonly operation: string;
  readonly identity?: string;
  /** Replaces members of the example. */
  readonly with?: Record<string, Draft>;
  /** The name of the newest id in the reply, where it is not the usual one or the reply is only a read. */
  readonly keep?: string;
  /** Sends these bytes to the signed URLs in the reply. */
  readonly upload?: Buffer;
}

const link = (member: string): Link => new Link(member, 0);
const BYTES = Buffer.from('#!/bin/sh\n');
const DAY_MS = 86_400_000;

/**
 * Rows of every kind, in the order in which they depend on each other, made through the API only. Each round
 * makes new ones, since requests of the last round deleted and ended many.
 * @param round makes names unique
 * @param worker the URL of a worker that answers
 */
export function scenario(round: number, worker: string): Step[] {
  return [
    ...inventory(),
    ...checkpointing(),
    ...slurm(),
    ...policies(),
    ...files(round),
    ...serving(round, worker),
    ...traffic(round),
    ...insight(),
    ...cloud(round),
    ...platform(round),
  ];
}

function inventory(): Step[] {
  const node = buildNode('gpu-node-1', { status: { capacity: { cpu: '64', 'nvidia.com/gpu': '8' } } });
  const job = buildJob('train', { metadata: { namespace: 'training' } });
  const pod = buildPod('train-89nms', {
    metadata: { namespace: 'training', ...ownedBy(job) },
    spec: { nodeName: 'gpu-node-1', priority: 100 },
  });
  return [
    { operation: 'save_cluster' },
    {
      operation: 'sync_cluster_batch',
      body: { cluster_id: link('cluster_id'), resources: [node, job] as unknown as Json[] },
    },
    { operation: 'sync_cluster', body: { cluster_id: link('cluster_id'), resource: pod as unknown as Json } },
    { operation: 'list_nodes' },
    { operation: 'list_pods' },
    { operation: 'list_jobs' },
    { operation: 'list_jobs_by_priority', path: { priority: 100 } },
    { operation: 'list_outbox_events', query: [['consumer_id', 'fuzz']] },
    { operation: 'create_cluster_workload' },
    {
      operation: 'list_outbox_events',
      query: [
        ['consumer_id', 'fuzz'],
        ['after', link('outbox_head')],
      ],
    },
    { operation: 'list_workloads', query: [['limit', '1']], keep: 'workload_id' },
    { operation: 'get_workload' },
    { operation: 'update_workload' },
    { operation: 'put_host', path: { id: 'host-1' } },
    { operation: 'put_legacy_job', path: { jid: 'train-1' } },
    { operation: 'put_legacy_job_checkpoint', path: { id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10' } },
    { operation: 'save_instance_type_price', with: { instance_type: 'm5.large' } },
    { operation: 'delete_instance_type_price' },
    { operation: 'save_instance_type_price', with: { instance_type: 'm5.large' } },
  ];
}

function checkpointing(): Step[] {
  const asked = { action_id: link('action_id'), name: 'train', container_name: 'main' };
  const restore = { restore_uuid: crypto.randomUUID(), checkpoint_id: link('checkpoint_id') };
  return [
    { operation: 'checkpoint_pod', with: { pod_id: link('pod_id') } },
    {
      operation: 'upload_action_pod',
      body: { action_id: link('action_id'), status: 'processing', pod_id: link('pod_id') },
    },
    { operation: 'create_checkpoint', body: asked },
    { operation: 'report_checkpoint_progress' },
    { operation: 'put_checkpoint_info' },
    { operation: 'report_checkpoint_uploaded', body: { restore_path: 's3://checkpoints/train/1' } },
    { operation: 'get_checkpoint_path', query: [['name', 'train']] },
    { operation: 'restore_pod' },
    { operation: 'record_restore_start', with: restore },
    { operation: 'record_restore_success', with: restore },
    { operation: 'record_restore_error', with: { restore_uuid: crypto.randomUUID() } },
    {
      operation: 'put_restore_profile',
      path: { restore_uuid: restore.restore_uuid },
      body: { name: 'restore', duration: 3 },
    },
    { operation: 'list_restores' },
    { operation: 'list_operations' },
    { operation: 'deprecate_checkpoint' },
    { operation: 'confirm_checkpoint_removal' },
  ];
}

function slurm(): Step[] {
  const now = Math.floor(Date.now() / 1_000);
  const job = {
    job_id: 4_711,
    name: 'llm-eval',
    job_state: ['RUNNING'],
    nodes: 'n1',
    partition: 'gpu',
    submit_time: now - 3_600,
    start_time: now - 3_500,
  };
  const window = { name: 'firmware', start_time: now + 86_400, end_time: now + 90_000, node_list: 'n[1-3]' };
  const times = {
    start_time: new Date(Date.now() + 2 * DAY_MS).toISOString(),
    end_time: new Date(Date.now() + 3 * DAY_MS).toISOString(),
  };
  const of = { cluster_id: link('cluster_id') };
  return [
    { operation: 'save_cluster', with: { cluster_name: 'hpc', kind: 'slurm' }, keep: 'slurm_cluster_id' },
    { operation: 'sync_slurm_jobs', body: { ...of, jobs: [job] } },
    { operation: 'sync_slurm_clusters' },
    { operation: 'sync_slurm_nodes' },
    { operation: 'sync_slurm_partitions' },
    { operation: 'sync_maintenance_windows', body: { ...of, maintenance_windows: [window] } },
    { operation: 'create_maintenance_window', with: times },
    { operation: 'update_maintenance_window' },
    { operation: 'checkpoint_slurm_job', with: { job_id: '4711' } },
    { operation: 'create_slurm_checkpoint', body: { action_id: link('action_id'), name: 'llm-eval' } },
    {
      operation: 'put_slurm_checkpoint_info',
      body: {
        gpu: 'NVIDIA H100',
        platform: 'linux/amd64',
        info: { name: 'checkpoint', duration: 3, io: 0, components: [] },
      },
    },
    { operation: 'report_slurm_checkpoint_uploaded', body: { restore_path: '/scratch/checkpoints/4711' } },
    { operation: 'get_slurm_checkpoint_path', query: [['name', 'llm-eval']] },
    { operation: 'restore_slurm_job' },
    { operation: 'deprecate_slurm_checkpoint' },
  ];
}

function policies(): Step[] {
  const pipeline = (filter: Draft): Draft => ({
    trigger: { type: 'heartbeat', config: { interval_seconds: 86_400 } },
    filter,
    action: { type: 'checkpoint', config: { kind: 'simple' } },
  });
  const cluster_id = link('cluster_id');
  const pods = { type: 'pods', config: { cluster_id, pod_ids: [link('pod_id')] } };
  const jobs = { type: 'jobs', config: { cluster_id, namespace: 'training', priority: null } };
  return [
    { operation: 'create_pipeline_policy', body: { name: 'to delete', pipeline: pipeline(pods) } },
    { operation: 'delete_policy', body: { id: link('policy_id') } },
    { operation: 'preview_pipeline_policy', body: { name: 'pods', pipeline: pipeline(pods) } },
    { operation: 'create_pipeline_policy', body: { name: 'pods', pipeline: pipeline(pods) } },
    { operation: 'list_policy_pods' },
    { operation: 'create_pipeline_policy', body: { name: 'jobs', pipeline: pipeline(jobs) } },
    { operation: 'update_pipeline_policy', body: { paused: true, keep_last: 3 } },
    { operation: 'list_policy_jobs' },
    { operation: 'get_policy_job_status' },
  ];
}

function files(round: number): Step[] {
  const path = { path: `checkpoints/${round}/manifest.json` };
  return [
    { operation: 'create_file_url', path, upload: BYTES },
    { operation: 'get_file_url', path },
    { operation: 'list_directory', path: { path: `checkpoints/${round}` } },
  ];
}

function serving(round: number, worker: string): Step[] {
  const profile = `llama-8b-${round}`;
  const logical_model = `model-${round}`;
  const made = {
    profile_id: profile,
    logical_model,
    max_replicas: 4,
    spec: { endpoints: ['chat', 'completions', 'embeddings', 'responses'] },
  };
  const of = { profile_id: profile };
  const artifact = { ...of, compatibility_key: link('compatibility_key'), storage_tier: 'shared' };
  const named = (number: number) => ({
    artifact_id: `${profile}-${number}`,
    uri: `s3://checkpoints/${profile}/${number}`,
  });
  const event = { event_id: crypto.randomUUID(), occurred_at: new Date().toISOString(), ...of };
  return [
    { operation: 'create_profile', with: made },
    { operation: 'set_profile_state', path: of },
    {
      operation: 'report_activation',
      with: { ...of, endpoint: worker, observed_generation: 1, cluster_id: link('cluster_id') },
    },
    { operation: 'put_worker_endpoint', path: of, with: { metrics_url: `${worker}/metrics` } },
    { operation: 'register_artifact', with: { ...artifact, ...named(1) } },
    { operation: 'register_artifact', with: { ...artifact, ...named(2) } },
    { operation: 'delete_artifact', path: { artifact_id: named(2).artifact_id } },
    { operation: 'confirm_artifact_removal', path: { artifact_id: named(2).artifact_id } },
    { operation: 'promote_artifact', path: { artifact_id: named(1).artifact_id } },
    { operation: 'update_artifact', path: { artifact_id: named(1).artifact_id } },
    { operation: 'lookup_artifacts', with: of },
    { operation: 'request_profile_checkpoint', path: of },
    { operation: 'get_profile_checkpoint', path: of },
    {
      operation: 'update_profile_checkpoint',
      path: of,
      with: { request_id: link('request_id'), artifact_id: named(1).artifact_id },
    },
    { operation: 'restart_profile', path: of },
    { operation: 'record_lifecycle_event', with: { ...event, cluster_id: link('cluster_id') } },
    { operation: 'create_experiment' },
    { operation: 'record_observation', with: { ...of, observation_key: `restore-${round}` } },
    { operation: 'get_correlation', query: [['experiment_id', link('experiment_id')]] },
    { operation: 'save_retention_policy', with: { name: `policy ${round}` } },
    { operation: 'delete_retention_policy' },
    { operation: 'preview_retention' },
    { operation: 'complete_experiment' },
    { operation: 'create_experiment' },
    { operation: 'save_retention_policy', with: { name: `kept ${round}` } },
  ];
}

function traffic(round: number): Step[] {
  const logical_model = `model-${round}`;
  const request_id = `req-${round}`;
  const target = { profile_id: `llama-8b-${round}`, tier: 'small', priority: 1 };
  const of = { request_id, logical_model };
  const sample = { route: logical_model, profile_id: target.profile_id, metric_name: 'queue_depth', value: 2 };
  const fleet = { name: `fleet ${round}`, logical_model, profile_ids: [] };
  return [
    { operation: 'save_route', with: { logical_model, targets: [target], queue_timeout_ms: 100 } },
    { operation: 'get_route_state', path: { logical_model } },
    { operation: 'save_route', with: { logical_model: `retired-${round}`, targets: [] } },
    { operation: 'delete_route', path: { logical_model: `retired-${round}` } },
    { operation: 'create_inference_key', with: { models: [logical_model] } },
    { operation: 'authorize_request', with: of },
    { operation: 'resolve_request', with: { ...of, authorization_id: link('authorization_id') } },
    { operation: 'record_router_telemetry', with: { ...of, profile_id: target.profile_id } },
    { operation: 'record_router_metrics', body: { samples: [{ ...sample, timestamp: Date.now() }] } },
    ...['create_chat_completion', 'create_completion', 'create_embedding', 'create_response'].map((operation) => ({
      operation,
      with: { model: logical_model },
    })),
    { operation: 'get_model', path: { model: logical_model } },
    { operation: 'save_fleet', with: fleet },
    { operation: 'delete_fleet' },
    { operation: 'save_fleet', with: { ...fleet, name: `kept ${round}` } },
    { operation: 'upsert_cost_rate', with: { profile_id: target.profile_id } },
    {
      operation: 'simulate_route',
      body: { logical_model, requests_per_hour: 1_200, deadline_ms: 5_000, cold_share: 0.01, restore_share: 0.05 },
    },
  ];
}

function insight(): Step[] {
  const gpu = { Hostname: 'gpu-node-1', gpu: '0', UUID: 'GPU-1', namespace: 'training', pod: 'train-89nms' };
  const series = {
    labels: { __name__: 'DCGM_FI_DEV_GPU_UTIL', ...gpu },
    samples: [[Date.now(), 93] as [number, number]],
  };
  const point = {
    timeUnixNano: `${Date.now()}000000`,
    asDouble: 93,
    attributes: [{ key: 'UUID', value: { stringValue: 'GPU-1' } }],
  };
  const metrics = [{ name: 'DCGM_FI_DEV_GPU_UTIL', gauge: { dataPoints: [point] } }];
  return [
    { operation: 'write_metrics', body: body1(series), type: 'application/x-protobuf' },
    {
      operation: 'export_otlp_metrics',
      body: { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] },
      type: 'application/json',
    },
    { operation: 'get_gpu_timeseries', query: [['gpu_uuid', 'GPU-1']] },
    { operation: 'list_gpu_metrics' },
  ];
}

function cloud(round: number): Step[] {
  const checksum = createHash('sha256').update(BYTES).digest('hex');
  const plugins = ['main', 'install', 'install-slurm', 'gpu-plugin'];
  return [
    { operation: 'list_instance_types' },
    { operation: 'create_instance', with: { name: `burst-${round}` } },
    { operation: 'get_instance_status' },
    { operation: 'delete_instance' },
    { operation: 'create_instance', with: { name: `kept-${round}` } },
    ...plugins.map((name) => ({
      operation: 'upload_plugin',
      // Plugins belong to the first organisation.
      identity: 'platform',
      path: { name },
      with: { checksum },
      upload: BYTES,
    })),
    { operation: 'download_plugin_binary', path: { binary_name: 'gpu-plugin' } },
  ];
}

function platform(round: number): Step[] {
  return [
    { operation: 'create_organisation', identity: 'platform', body: { name: `organisation-${round}-${Date.now()}` } },
    { operation: 'create_token' },
    { operation: 'revoke_token' },
    { operation: 'create_token' },
    // Who may not acknowledge is no consumer.
    {
      operation: 'list_outbox_events',
      identity: 'controller',
      query: [
        ['consumer_id', 'fuzz'],
        ['limit', 2],
      ],
    },
    { operation: 'ack_outbox', body: { consumer_id: 'fuzz', event_id: link('event_id') } },
    { operation: 'update_inference_key' },
    { operation: 'revoke_inference_key' },
  ];
}
