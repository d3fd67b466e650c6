import { createSocket } from 'node:dgram';
import { access, open, readFile } from 'node:fs/promises';

/** Features that some kernels lack, and that a restore may need. */
export const KERNEL_FEATURES = ['inotify', 'ipv6', 'seccomp', 'tun'] as const;
export type KernelFeature = (typeof KERNEL_FEATURES)[number];

/** undefined: it is not known. */
export type FoundFeatures = Readonly<Record<KernelFeature, boolean | undefined>>;

const SIGNS = {
  fileSystems: '/proc/sys/fs',
  inotify: '/proc/sys/fs/inotify',
  seccomp: '/proc/sys/kernel/seccomp/actions_avail',
  status: '/proc/self/status',
  tun: '/dev/net/tun',
} as const;

/** Those of this machine. */
export async function findKernelFeatures(signs: Readonly<Record<keyof typeof SIGNS, string>> = SIGNS) {
  const [inotify, ipv6, seccomp, tun] = await Promise.all([
    hasInotify(signs.inotify, signs.fileSystems),
    hasIpv6(),
    hasFilters(signs.seccomp, signs.status),
    hasDevice(signs.tun),
  ]);
  return { inotify, ipv6, seccomp, tun } satisfies FoundFeatures;
}

/** Those that this machine does not lack, sorted. Nothing fails because one is not known. */
export async function kernelFeatures(): Promise<KernelFeature[]> {
  const found = await findKernelFeatures();
  return KERNEL_FEATURES.filter((feature) => found[feature] !== false);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Containers may hide what is beside it too. */
const hasInotify = async (sign: string, beside: string): Promise<boolean | undefined> =>
  (await isThere(sign)) || ((await isThere(beside)) ? false : undefined);

/** Kernels that have no list of actions may have filters, unless they have no seccomp at all. */
async function hasFilters(sign: string, status: string): Promise<boolean | undefined> {
  if (await isThere(sign)) return true;
  const text = await readFile(status, 'utf8').catch(() => undefined);
  return text === undefined || /^Seccomp:/m.test(text) ? undefined : false;
}

/** A device that is not there, has no driver, or is refused to containers. */
const NO_DEVICE = ['ENOENT', 'ENODEV', 'ENXIO', 'EPERM'];

/** The file may be there without its driver. To open it makes no network device. */
const hasDevice = (path: string): Promise<boolean | undefined> =>
  open(path, 'r+').then(
    async (file) => {
      await file.close();
      return true;
    },
    ({ code }: NodeJS.ErrnoException) => (NO_DEVICE.includes(code ?? '') ? false : undefined),
  );

function hasIpv6(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // The first socket may load the module.
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
