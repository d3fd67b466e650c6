/** How an attempt stands; all but running are ends. */
export const RESULTS = ['running', 'succeeded', 'failed', 'fallback'] as const;
export type OperationResult = (typeof RESULTS)[number];

export const OPERATION_TYPES = ['checkpoint', 'restore'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];
