import { createSocket } from 'node:dgram';
import { access } from 'node:fs/promises';

/** What kernels are built without, or start without, and a restore may need. */
export const KERNEL_FEATURES = ['inotify', 'ipv6', 'seccomp', 'tun'] as const;
export type KernelFeature = (typeof KERNEL_FEATURES)[number];

/** What is there only with the feature. Of IPv6, the first socket may load the module. */
const SIGNS: Readonly<Record<Exclude<KernelFeature, 'ipv6'>, string>> = {
  inotify: '/proc/sys/fs/inotify',
  // Filters, not only the strict mode.
  seccomp: '/proc/sys/kernel/seccomp/actions_avail',
  tun: '/dev/net/tun',
};

/** Those of this machine, sorted. */
export async function kernelFeatures(): Promise<KernelFeature[]> {
  const has = (feature: KernelFeature): Promise<boolean> => (feature === 'ipv6' ? hasIpv6() : isThere(SIGNS[feature]));
  const found = await Promise.all(KERNEL_FEATURES.map(has));
  return KERNEL_FEATURES.filter((_, place) => found[place]);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function hasIpv6(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = createSocket('udp6');
  const answer = (has: boolean): void => {
    resolve(has);
    socket.close();
  };
  // Another error says something about addresses, which the kernel knows then.
  socket.once('error', ({ code }: NodeJS.ErrnoException) => answer(code !== 'EAFNOSUPPORT'));
  socket.bind(0, '::', () => answer(true));
  return promise;
}
