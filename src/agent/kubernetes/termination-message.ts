import { writeFileSync } from 'node:fs';
import type { FailureFacts } from '../failures';

/** Where Kubernetes reads why a container ended, unless the manifest names another file. */
const FILE = '/dev/termination-log';
/** Kubernetes keeps 4096 bytes. */
const MAX_MESSAGE = 2_000;

/**
 * Leaves in the status of the pod why its supervisor did not go on, so that a controller finds it when there
 * is nobody left to ask.
 */
export function leaveFailure({ cause, message, remedy }: FailureFacts, file = FILE): void {
  const cut = (text: string | undefined) => text?.slice(0, MAX_MESSAGE / 2).toWellFormed();
  try {
    // Only a file that the runtime has made.
    writeFileSync(file, JSON.stringify({ failure: { cause, message: cut(message), remedy: cut(remedy) } }), {
      flag: 'r+',
    });
  } catch {
    // Its output says it as well.
  }
}

/** @param message of a container that ended. @returns undefined if no supervisor left it */
export function failureLeftIn(message: string | undefined): FailureFacts | undefined {
  try {
    const { failure } = JSON.parse(message ?? '') as { failure?: Partial<FailureFacts> };
    if (typeof failure?.cause !== 'string' || typeof failure.message !== 'string') return undefined;
    return failure as FailureFacts;
  } catch {
    return undefined;
  }
}
