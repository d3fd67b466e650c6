/** Results of an attempt; all except running are final. */
export const RESULTS = ['running', 'succeeded', 'failed', 'fallback'] as const;
export type OperationResult = (typeof RESULTS)[number];

export const OPERATION_TYPES = ['checkpoint', 'restore'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];

export const WORKLOAD_TYPES = ['kubernetes', 'slurm'] as const;
