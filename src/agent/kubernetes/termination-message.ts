import { writeFileSync } from 'node:fs';
import { failureIn, type FailureFacts } from '../failures';

/** Where Kubernetes reads why a container ended, unless the manifest names another file. */
const FILE = '/dev/termination-log';
/** Kubernetes keeps so many. */
const MAX_BYTES = 4_096;
const MAX_TEXT = 1_000;

/**
 * Leaves in the status of the pod why its supervisor did not go on, so that a controller finds it when there
 * is nobody left to ask.
 */
export function leaveFailure({ cause, message, remedy }: FailureFacts, file = FILE): void {
  const text = (longest: number): string => {
    const cut = (whole: string | undefined) => whole?.slice(0, longest).toWellFormed();
    return JSON.stringify({ failure: { cause, message: cut(message), remedy: cut(remedy) } });
  };
  // A character has one byte as a rule, and up to six as JSON.
  let longest = MAX_TEXT;
  while (Buffer.byteLength(text(longest)) > MAX_BYTES) longest = Math.floor(longest * 0.9);
  try {
    // Only a file that the runtime has made.
    writeFileSync(file, text(longest), { flag: 'r+' });
  } catch {
    // Its output says it as well.
  }
}

/** @param message of a container that ended. @returns undefined if no supervisor left it */
export function failureLeftIn(message: string | undefined): FailureFacts | undefined {
  try {
    return failureIn((JSON.parse(message ?? '') as { failure?: unknown }).failure);
  } catch {
    return undefined;
  }
}
