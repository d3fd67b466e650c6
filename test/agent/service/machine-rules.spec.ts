import { machineMismatches } from '../../../src/4-serving/artifacts/compatibility/machine-compatibility';
import { machineOf } from '../../../src/agent/controllers/workers/artifacts/profile-artifacts';
import { compare } from '../../../src/agent/machine/compatibility';
import type { MachineFacts } from '../../../src/agent/machine/machine-facts';
import { MACHINE_FACTS } from '../../support/machine-facts';

describe('the two gates of a restore', () => {
  it.each<[string, Partial<MachineFacts>]>([
    ['the same machine', {}],
    ['what may differ', { hostname: 'b', bootId: '2', kernel: '5', cpuModel: 'x' }],
    ['another architecture and page size', { architecture: 'aarch64', pageSize: 65_536 }],
    ['an older CRIU', { criu: '4.2.0' }],
    ['a newer CRIU', { criu: '4.10.0' }],
    ['a CRIU of no version', { criu: 'unreadable' }],
    ['fewer flags', { cpuFlags: ['amx', 'sse'] }],
    ['more of everything', { cpuFlags: ['amx', 'avx', 'avx2', 'sse'], kernelFeatures: ['inotify', 'ipv6', 'tun'] }],
    ['a kernel that lacks what images need', { kernelFeatures: ['ipv6', 'tun'] }],
    ['a kernel that has nothing', { kernelFeatures: [] }],
    ['another libc and control groups', { libc: 'musl', cgroupMode: 'v1' }],
    ['another image', { imageDigest: 'sha256:b' }],
    ['one GPU of two', { gpus: ['NVIDIA L4'] }],
    ['other GPUs and another driver', { gpus: ['NVIDIA A10G', 'NVIDIA L4'], gpuDriver: '570.86' }],
    ['no GPU', { gpus: [], gpuDriver: '' }],
    ['nothing known', { libc: '', cpuFlags: [], pageSize: 0, cgroupMode: 'none', criu: '', imageDigest: '' }],
  ])('judge alike: %s', (_, changes) => {
    for (const [taken, here] of [
      [MACHINE_FACTS, { ...MACHINE_FACTS, ...changes }],
      [{ ...MACHINE_FACTS, ...changes }, MACHINE_FACTS],
    ] as const) {
      const node = compare(taken, here)
        .filter(({ severity }) => severity !== 'unknown')
        .map(({ property, severity }) => [property, severity]);
      const service = machineMismatches({ machine: machineOf(taken) }, machineOf(here))
        .filter(({ severity }) => severity !== 'unknown')
        .map(({ property, severity }) => [
          property.replaceAll(/_(.)/g, (_match, letter: string) => letter.toUpperCase()),
          severity,
        ]);
      expect(service).toEqual(node);
    }
  });
});
