import { readFile } from 'node:fs/promises';
import { AgentFailure } from '../failures';

const KIB = 1024;

/** @throws AgentFailure if a restored workload would not fit into what this machine has left */
export async function requireMemory(wantedBytes: number): Promise<void> {
  const [memInfo, groups] = await Promise.all([text('/proc/meminfo'), text('/proc/self/cgroup')]);
  const group = /^0::(.+)$/m.exec(groups)?.[1] ?? '';
  const folder = `/sys/fs/cgroup${group}`;
  const files = ['memory.max', 'memory.current', 'memory.stat'].map((name) => text(`${folder}/${name}`));
  const [limit = '', used = '', stat = ''] = await Promise.all(files);
  const free = freeBytes(memInfo, limit, used, stat);
  if (free === undefined || free >= wantedBytes) return;
  throw new AgentFailure({
    cause: 'memory_missing',
    message: `The workload had ${wantedBytes} bytes of memory, and ${free} bytes are free here.`,
    remedy: 'End other processes, or restore on a machine with more free memory.',
  });
}

/**
 * @param memInfo /proc/meminfo
 * @param limit memory.max of the control group; empty or `max` without one
 * @param used memory.current of the control group, with what the kernel caches of files
 * @param stat memory.stat of the control group
 * @returns undefined if it is not known
 */
export function freeBytes(memInfo: string, limit: string, used: string, stat: string): number | undefined {
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(memInfo)?.[1]) * KIB;
  const machine = field('MemAvailable') + field('SwapFree');
  // The kernel gives these pages back as soon as somebody needs memory: the kubelet subtracts them too.
  const cached = Number(/^inactive_file (\d+)$/m.exec(stat)?.[1] ?? 0);
  const isKnown = /^\d+\s*$/.test(limit) && /^\d+\s*$/.test(used);
  const group = isKnown ? Number(limit) - Math.max(0, Number(used) - cached) : Number.NaN;
  const known = [machine, group].filter((bytes) => !Number.isNaN(bytes));
  return known.length === 0 ? undefined : Math.max(0, Math.min(...known));
}

const text = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
