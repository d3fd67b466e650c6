import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Gives back what an upload or a download has used. V8 looks for buffers that nobody needs any more only
 * while something is allocated, and a supervisor waits for hours afterwards. It takes some milliseconds.
 */
export function freeUnusedMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
