import { open } from 'node:fs/promises';

/** Lines of errors that a failure carries. */
export const KEPT_LINES = 20;
/** Longer lines are cut. */
const LINE_CHARACTERS = 1_000;
/** The end of a log that is read: CRIU stops at its first error, so that one is near the end. */
const LOG_BYTES = 16 * 1024 * 1024;

/** Reported as errors, and yet CRIU goes on: they say nothing about why it failed. */
const HARMLESS = [
  /rlimit: Can't setup RLIMIT_NOFILE for self/,
  // Containers have no such device, and hardly any workload needs one.
  /tun: Unable to create tun/,
];

const ERROR = /\bError \(/;

/**
 * The lines of a log that report errors, oldest first. The first one says what went wrong, those after it
 * what followed from that.
 */
export function errorLines(log: string): string[] {
  return log
    .split('\n')
    .filter((line) => ERROR.test(line) && !HARMLESS.some((pattern) => pattern.test(line)))
    .map((line) => line.slice(0, LINE_CHARACTERS));
}

/** @returns '' if there is no log */
export async function readLog(file: string): Promise<string> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const length = Math.min(size, LOG_BYTES);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: size - length });
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
