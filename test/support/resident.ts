import { readdirSync, readFileSync } from 'node:fs';
import type { Start } from './start';

const MEBIBYTE = 1024 * 1024;

/** The most that 40 of the worst requests at once may take: 700 MB. */
export const MAX_RESIDENT_MIB = 700_000_000 / MEBIBYTE;

const read = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};

/** Process id of the service behind a start command; npm and a shell stand between them. */
export function servicePid({ process: { pid } }: Start): string {
  const found = readdirSync('/proc').find((one) => {
    // After the name of the command, which may contain blanks: state, parent, process group.
    const [, , group] = read(one, 'stat').split(') ')[1]?.split(' ') ?? [];
    return group === String(pid) && read(one, 'cmdline').includes('dist/main.js');
  });
  if (found === undefined) throw new Error('the process of the service was not found');
  return found;
}

/** Resident memory of a process in MiB. */
export function residentMib(pid: string): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(read(pid, 'status'))?.[1];
  return (Number(kibibytes) * 1024) / MEBIBYTE;
}

/** The largest resident memory in MiB while the work runs. */
export async function peakDuring<T>(pid: string, work: () => Promise<T>): Promise<{ result: T; peakMib: number }> {
  let peakMib = residentMib(pid);
  const timer = setInterval(() => (peakMib = Math.max(peakMib, residentMib(pid))), 50);
  try {
    const result = await work();
    return { result, peakMib: Math.max(peakMib, residentMib(pid)) };
  } finally {
    clearInterval(timer);
  }
}
