/**
 * What a supervisor does with its workload beside running it. A checkpoint keeps it, so that a restored
 * workload is treated as before; options of the restore itself come first.
 */
export interface Treatment {
  /** Shell commands that run before and after a dump; `resume` after a restore too. */
  readonly quiesce?: string;
  readonly resume?: string;
  /** Sent to a restored workload. */
  readonly notifySignal?: NodeJS.Signals;
  /** On SIGTERM: takes a checkpoint before the end, within so many seconds. */
  readonly checkpointOnTermSeconds?: number;
}

/** Whether it may be one: a manifest comes from a file. */
export const isTreatment = (value: unknown): value is Treatment =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).every(([name, one]) =>
    name === 'checkpointOnTermSeconds'
      ? typeof one === 'number' && one > 0
      : ['quiesce', 'resume', 'notifySignal'].includes(name) && typeof one === 'string',
  );
