import { podColumns } from './pod-columns';
import type { DropReason, SeriesColumns } from './series-columns';
import { instanceHost, type Taken } from '../series/series-labels';

const GPU_LABELS = {
  node: ['Hostname', 'hostname', 'node', 'k8s_node_name', 'host_name', 'nodename'],
  uuid: ['UUID', 'uuid', 'gpu_uuid'],
  index: ['gpu', 'gpu_index'],
  model: ['modelName', 'model_name', 'gpu_model'],
};
/** The exporter's own pod, which Prometheus adds to GPUs that no pod holds. */
const EXPORTER = /dcgm-exporter/;

export function gpuColumns(labels: Taken): SeriesColumns | DropReason {
  const gpu_uuid = labels.take(...GPU_LABELS.uuid);
  if (gpu_uuid === undefined) return 'no_gpu';
  const own = EXPORTER.test(labels.look('container') ?? '') || EXPORTER.test(labels.look('pod') ?? '');
  return {
    gpu_uuid,
    gpu_index: labels.take(...GPU_LABELS.index),
    model_name: labels.take(...GPU_LABELS.model),
    node_name: labels.take(...GPU_LABELS.node) ?? instanceHost(labels),
    ...(own ? {} : podColumns(labels)),
  };
}
