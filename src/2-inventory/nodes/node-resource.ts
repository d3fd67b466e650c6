import type { JsonObject } from '../../1-platform/common/json/json';
import { asObject, asText, conditionStatus, keptObject, objectAt, readMeta } from '../kubernetes/resource';

/** A node as column values. */
export interface NodeColumns {
  uid: string;
  name: string;
  status: string;
  compute_type: 'gpu' | 'cpu';
  instance_type: string;
  region: string;
  capacity_type: string;
  boot_id: string;
  gpu_model: string;
  labels: Record<string, string>;
  resource_version: string | null;
  deleted: boolean;
  object: JsonObject;
}

export function readNode(resource: JsonObject): NodeColumns {
  const meta = readMeta(resource);
  const status = objectAt(resource, 'status');
  return {
    uid: meta.uid,
    name: meta.name,
    status: readiness(status),
    compute_type: hasGpu(status, meta.labels) ? 'gpu' : 'cpu',
    instance_type: firstLabel(meta.labels, INSTANCE_TYPE_LABELS),
    region: firstLabel(meta.labels, REGION_LABELS),
    capacity_type: capacityType(meta.labels, asText(objectAt(resource, 'spec').providerID)),
    boot_id: asText(objectAt(status, 'nodeInfo').bootID),
    gpu_model: firstLabel(meta.labels, GPU_MODEL_LABELS),
    labels: meta.labels,
    resource_version: meta.resourceVersion,
    deleted: meta.released,
    object: keptObject(resource),
  };
}

/** `Unknown` also if the kubelet has stopped reporting: the node controller sets it then. */
function readiness(status: JsonObject): string {
  const ready = conditionStatus(status, 'Ready');
  return ready === 'True' ? 'Ready' : ready === 'False' ? 'NotReady' : 'Unknown';
}

// Well-known names first, then the older ones.
const INSTANCE_TYPE_LABELS = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const REGION_LABELS = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];
const GPU_MODEL_LABELS = [
  'nvidia.com/gpu.product',
  'cloud.google.com/gke-accelerator',
  'karpenter.k8s.aws/instance-gpu-name',
  'amd.com/gpu.product-name',
];
const GPU_RESOURCE = /^(nvidia\.com\/(gpu|mig-)|amd\.com\/gpu|gpu\.intel\.com\/)/;
const GPU_LABELS = [...GPU_MODEL_LABELS, 'nvidia.com/gpu.present', 'kubernetes.azure.com/accelerator'];

const firstLabel = (labels: Record<string, string>, names: readonly string[]): string =>
  names.map((name) => labels[name]).find((value) => value !== undefined && value !== '') ?? '';

function hasGpu(status: JsonObject, labels: Record<string, string>): boolean {
  const capacity = Object.entries(asObject(status.capacity));
  const counted = capacity.some(([name, amount]) => GPU_RESOURCE.test(name) && amount !== '0' && amount !== 0);
  return counted || (capacity.length === 0 && GPU_LABELS.some((name) => (labels[name] ?? 'false') !== 'false'));
}

/**
 * `spot`, `on-demand`, or another word of the provider; empty if unknown. Azure and Google mark only machines
 * that can be taken away, so their other nodes are on-demand.
 */
function capacityType(labels: Record<string, string>, providerId: string): string {
  const label =
    labels['karpenter.sh/capacity-type'] ??
    labels['eks.amazonaws.com/capacityType'] ??
    labels['node.kubernetes.io/lifecycle'];
  if (label)
    return label
      .toLowerCase()
      .replaceAll('_', '-')
      .replace(/^(ondemand|normal)$/, 'on-demand')
      .replace(/^ec2spot$/, 'spot');
  if (labels['cloud.google.com/gke-spot'] === 'true' || labels['cloud.google.com/gke-preemptible'] === 'true')
    return 'spot';
  if (labels['kubernetes.azure.com/scalesetpriority'] === 'spot') return 'spot';
  return /^(gce|azure):/.test(providerId) ? 'on-demand' : '';
}
