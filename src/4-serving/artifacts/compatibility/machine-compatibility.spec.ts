import { machineMismatches, type Machine } from './machine-compatibility';

const MACHINE: Required<Machine> = {
  architecture: 'x86_64',
  page_size: 4096,
  criu: '4.1.1',
  cpu_flags: ['avx', 'sse'],
  kernel_features: ['inotify', 'ipv6'],
  libc: 'glibc 2.39',
  cgroup_mode: 'v2',
  image_digest: 'sha256:a',
  gpus: ['NVIDIA L4', 'NVIDIA L4'],
  gpu_driver: '565.57',
};

const mismatches = (taken: unknown, wanted: Machine) => machineMismatches({ machine: taken }, wanted);

describe('the machine of an artifact and that of a restore', () => {
  it('fit if all is the same, or better', () => {
    expect(mismatches(MACHINE, MACHINE)).toEqual([]);
    expect(mismatches(MACHINE, { ...MACHINE, criu: '4.2', cpu_flags: ['amx', 'avx', 'sse'] })).toEqual([]);
    expect(mismatches({ ...MACHINE, kernel: '6.1' }, MACHINE)).toEqual([]);
  });

  it.each([
    ['architecture', { architecture: 'aarch64' }, 'x86_64', 'aarch64', 'block'],
    ['page_size', { page_size: 65_536 }, 4096, 65_536, 'block'],
    ['criu', { criu: '4.0' }, '4.1.1', '4.0', 'block'],
    ['criu', { criu: 'unreadable' }, '4.1.1', 'unreadable', 'block'],
    ['cpu_flags', { cpu_flags: ['sse', 'fpu'] }, ['avx'], [], 'block'],
    ['kernel_features', { kernel_features: ['ipv6', 'tun'] }, ['inotify'], [], 'block'],
    ['image_digest', { image_digest: 'sha256:b' }, 'sha256:a', 'sha256:b', 'warn'],
    ['gpus', { gpus: ['NVIDIA A10G', 'NVIDIA L4'] }, ['NVIDIA L4'], [], 'warn'],
    ['gpu_driver', { gpu_driver: '570.86' }, '565.57', '570.86', 'warn'],
    ['libc', { libc: 'musl' }, 'glibc 2.39', 'musl', 'warn'],
    ['cgroup_mode', { cgroup_mode: 'v1' }, 'v2', 'v1', 'warn'],
  ] as const)('differ in %s: %j', (property, changed, artifact, wanted, severity) => {
    expect(mismatches(MACHINE, { ...MACHINE, ...changed })).toEqual([
      { property, artifact_value: artifact, wanted_value: wanted, severity },
    ]);
  });

  it('differ in nothing that the request does not name', () => {
    expect(mismatches(MACHINE, {})).toEqual([]);
    expect(mismatches(MACHINE, { libc: 'musl' }).map(({ property }) => property)).toEqual(['libc']);
  });

  it.each([[undefined], [null], ['x86_64'], [{}], [[]]])('are not known to differ if the artifact has %j', (taken) => {
    const found = mismatches(taken, MACHINE);
    expect(found).toHaveLength(10);
    expect(new Set(found.map(({ severity }) => severity))).toEqual(new Set(['unknown']));
    expect(found.every(({ artifact_value: value }) => value === null)).toBe(true);
  });

  it('are compared also if the metadata is no object', () => {
    expect(machineMismatches('anything', { architecture: 'x86_64' })).toMatchObject([{ severity: 'unknown' }]);
  });

  it('have the worst difference first', () => {
    const found = mismatches({ ...MACHINE, page_size: undefined }, { ...MACHINE, libc: 'musl', criu: '3.17' });
    expect(found.map(({ property, severity }) => `${property} ${severity}`)).toEqual([
      'criu block',
      'libc warn',
      'page_size unknown',
    ]);
  });
});
