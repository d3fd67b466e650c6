import { oneOf, someText, someUuid, someWindow, searchOf } from '../../parts/search';

export const RESULTS = ['failed', 'running', 'succeeded', 'fallback'] as const;
export const WORKLOADS = ['kubernetes', 'slurm'] as const;
export const KINDS = ['checkpoint', 'restore'] as const;

export const operationsSearch = searchOf((raw) => ({
  result: oneOf(RESULTS)(raw.result),
  kind: oneOf(KINDS)(raw.kind),
  workload: oneOf(WORKLOADS)(raw.workload),
  cluster: someUuid(raw.cluster),
  namespace: someText(raw.namespace),
  name: someText(raw.name),
  window: someWindow(raw.window),
}));

export type OperationsSearch = ReturnType<typeof operationsSearch>;
