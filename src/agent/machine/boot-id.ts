import { readFileSync } from 'node:fs';

/** Of the running kernel; empty if it is not known. */
export function bootIdHere(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
