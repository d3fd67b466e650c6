import { AgentFailure } from '../failures';
import { readProc } from '../processes/processes';

/** What making namespaces, dumping and restoring need, by the numbers of `linux/capability.h`. */
export const NEEDED = {
  CAP_CHOWN: 0,
  CAP_DAC_OVERRIDE: 1,
  CAP_FOWNER: 3,
  CAP_KILL: 5,
  CAP_SETGID: 6,
  CAP_SETUID: 7,
  CAP_SETPCAP: 8,
  CAP_NET_ADMIN: 12,
  CAP_SYS_CHROOT: 18,
  CAP_SYS_PTRACE: 19,
  CAP_SYS_ADMIN: 21,
  // Clocks of the workload continue after a restore.
  CAP_SYS_TIME: 25,
} as const;

/** @param status that of `/proc/PID/status`. @returns names of what the process may not do */
export function missingCapabilities(status: string): string[] {
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0'}`);
  return Object.entries(NEEDED)
    .filter(([, number]) => !((effective >> BigInt(number)) & 1n))
    .map(([name]) => name);
}

/** Throws `AgentFailure` if this process may not supervise. */
export function requireCapabilities(): void {
  const missing = missingCapabilities(readProc('/proc/self/status') ?? '');
  if (missing.length === 0) return;
  throw new AgentFailure({
    cause: 'permission_missing',
    message: `This account lacks what a supervisor needs: ${missing.join(', ')}.`,
    remedy: 'Start it as root, or in a container with these capabilities.',
  });
}
