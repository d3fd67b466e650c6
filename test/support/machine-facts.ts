import type { MachineFacts } from '../../src/agent/machine/machine-facts';

/** A machine of which everything is known. */
export const MACHINE_FACTS: MachineFacts = {
  hostname: 'a',
  bootId: '1',
  architecture: 'x86_64',
  pageSize: 4096,
  kernel: '6.1.0',
  cpuModel: 'Some CPU',
  cpuFlags: ['avx', 'avx2', 'sse'],
  libc: 'glibc 2.36',
  criu: '4.2.1',
  cgroupMode: 'v2',
  kernelFeatures: ['inotify', 'ipv6'],
  gpus: ['NVIDIA L4', 'NVIDIA L4'],
  gpuDriver: '565.57',
  imageDigest: 'sha256:a',
};
