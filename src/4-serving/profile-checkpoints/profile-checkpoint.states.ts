export const REQUEST_STATUSES = ['pending', 'running', 'succeeded', 'failed'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/** What a controller may report. */
export const REPORTED_STATUSES = ['running', 'succeeded', 'failed'] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

export const REQUEST_KINDS = ['checkpoint', 'restart'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/**
 * A report may be lost, so a step may be left out. No step leads back, and an ended attempt stays as it
 * ended.
 */
const MOVES: Readonly<Record<RequestStatus, readonly ReportedStatus[]>> = {
  pending: ['running', 'succeeded', 'failed'],
  running: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

export const mayMove = (from: RequestStatus, to: ReportedStatus): boolean => MOVES[from].includes(to);
