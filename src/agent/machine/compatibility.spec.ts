import { AgentFailure } from '../failures';
import { compare, isOfMachine, requireCompatible, sentencesOf } from './compatibility';
import { cgroupMode, machineFacts, pageSize, type MachineFacts } from './machine-facts';
import { MACHINE_FACTS } from '../../../test/support/machine-facts';

describe('compatibility of a checkpoint with a machine', () => {
  it.each<
    [string, { [K in keyof MachineFacts]?: MachineFacts[K] | undefined }, Partial<ReturnType<typeof compare>[number]>[]]
  >([
    ['the same machine fits', {}, []],
    ['another host, boot, kernel and CPU model fit', { hostname: 'b', bootId: '2', kernel: '5', cpuModel: 'x' }, []],
    ['a CPU with more flags fits', { cpuFlags: ['avx', 'avx2', 'avx512f', 'sse'] }, []],
    [
      'a CPU with fewer flags blocks, and the missing flags are named',
      { cpuFlags: ['sse', 'amx'] },
      [{ property: 'cpuFlags', checkpoint: 'avx avx2', severity: 'block' }],
    ],
    [
      'another architecture blocks',
      { architecture: 'aarch64' },
      [{ property: 'architecture', checkpoint: 'x86_64', machine: 'aarch64', severity: 'block' }],
    ],
    [
      'another page size blocks',
      { pageSize: 65536 },
      [{ property: 'pageSize', checkpoint: '4096', machine: '65536', severity: 'block' }],
    ],
    ['a newer CRIU fits', { criu: '4.10.0' }, []],
    [
      'an older CRIU blocks',
      { criu: '4.2.0' },
      [{ property: 'criu', checkpoint: '4.2.1', machine: '4.2.0', severity: 'block' }],
    ],
    [
      'another libc warns',
      { libc: 'glibc 2.41' },
      [{ property: 'libc', checkpoint: 'glibc 2.36', machine: 'glibc 2.41', severity: 'warn' }],
    ],
    [
      'another mode of control groups warns',
      { cgroupMode: 'hybrid' },
      [{ property: 'cgroupMode', checkpoint: 'v2', machine: 'hybrid', severity: 'warn' }],
    ],
    [
      'unknown values are unknown, not mismatches',
      { libc: '', cpuFlags: [], pageSize: 0, cgroupMode: 'none' },
      ['pageSize', 'cpuFlags', 'libc', 'cgroupMode'].map((property) => ({
        property: property as keyof MachineFacts,
        severity: 'unknown' as const,
      })),
    ],
    [
      'a kernel that lacks what the images need blocks',
      { kernelFeatures: ['inotify', 'tun'] },
      [{ property: 'kernelFeatures', checkpoint: 'ipv6', machine: 'missing', severity: 'block' }],
    ],
    ['a kernel with more features fits', { kernelFeatures: ['inotify', 'ipv6', 'seccomp'] }, []],
    [
      'another image of the container warns',
      { imageDigest: 'sha256:b' },
      [{ property: 'imageDigest', checkpoint: 'sha256:a', machine: 'sha256:b', severity: 'warn' }],
    ],
    [
      'fewer GPUs of a model, and another driver, warn',
      { gpus: ['NVIDIA L4', 'NVIDIA A10G'], gpuDriver: '570.86' },
      [
        { property: 'gpus', checkpoint: 'NVIDIA L4', machine: 'missing', severity: 'warn' },
        { property: 'gpuDriver', checkpoint: '565.57', machine: '570.86', severity: 'warn' },
      ],
    ],
    [
      'a machine that does not say what images need is unknown',
      { kernelFeatures: undefined, imageDigest: '', gpuDriver: undefined },
      ['kernelFeatures', 'imageDigest', 'gpuDriver'].map((property) => ({
        property: property as keyof MachineFacts,
        severity: 'unknown' as const,
      })),
    ],
    ['what blocks comes first', { libc: 'musl', criu: '4.0.0' }, [{ property: 'criu' }, { property: 'libc' }]],
  ])('finds that %s', (_title, changes, expected) => {
    const found = compare(MACHINE_FACTS, { ...MACHINE_FACTS, ...changes });
    expect(found).toHaveLength(expected.length);
    expect(found).toMatchObject(expected);
  });

  it('refuses with every blocking property and both values', () => {
    const refusal = (): unknown =>
      requireCompatible(MACHINE_FACTS, { ...MACHINE_FACTS, pageSize: 65536, criu: '4.0.0', libc: '' });
    expect(refusal).toThrow(AgentFailure);
    expect(refusal).toThrow(/the page size was 4096 and is 65536 here; CRIU was 4.2.1 and is 4.0.0 here/);
  });

  it('names the missing flags of a CPU as the cause', () => {
    try {
      requireCompatible(MACHINE_FACTS, { ...MACHINE_FACTS, cpuFlags: ['sse'] });
    } catch (error) {
      expect((error as AgentFailure).facts).toMatchObject({
        cause: 'cpu_features',
        message: expect.stringContaining('lacks avx avx2'),
      });
      return;
    }
    throw new Error('It was not refused.');
  });

  it('returns what blocks too if somebody allows it, and such a refusal is one of the machine', () => {
    const other = { ...MACHINE_FACTS, cpuFlags: ['sse'], architecture: 'riscv64' };
    expect(requireCompatible(MACHINE_FACTS, other, true).map(({ property }) => property)).toEqual([
      'architecture',
      'cpuFlags',
    ]);
    expect((['incompatible', 'cpu_features', 'cgroup_mode'] as const).every(isOfMachine)).toBe(true);
    expect((['checkpoint_damaged', 'mount_missing', 'memory_missing'] as const).some(isOfMachine)).toBe(false);
  });

  it('says which feature of the kernel is missing', () => {
    const refusal = (): unknown => requireCompatible(MACHINE_FACTS, { ...MACHINE_FACTS, kernelFeatures: [] });
    expect(refusal).toThrow(/its kernel lacks inotify ipv6\./);
  });

  it('finds nothing in what neither names, as in checkpoints before it was noted', () => {
    const { kernelFeatures: _features, gpus: _gpus, gpuDriver: _driver, imageDigest: _digest, ...old } = MACHINE_FACTS;
    expect(compare(old, { ...old, kernelFeatures: [], gpus: [], gpuDriver: '', imageDigest: '' })).toEqual([]);
    expect(compare(old, MACHINE_FACTS).every(({ severity }) => severity === 'unknown')).toBe(true);
  });

  it('says in sentences what differs, and nothing of what older checkpoints did not note', () => {
    const { kernelFeatures: _features, gpus: _gpus, gpuDriver: _driver, imageDigest: _digest, ...old } = MACHINE_FACTS;
    expect(sentencesOf(compare(old, MACHINE_FACTS))).toEqual([]);
    const other = { ...MACHINE_FACTS, kernelFeatures: ['ipv6'], gpus: [], libc: 'musl', cpuFlags: [] };
    expect(sentencesOf(compare(MACHINE_FACTS, other))).toEqual([
      'This machine lacks what the first one had, or the images need: its kernel lacks inotify.',
      'The checkpoint is of a machine with the libc "glibc 2.36"; this one has "musl".',
      'This machine lacks what the first one had, or the images need: it lacks the GPUs NVIDIA L4, NVIDIA L4.',
      'The checkpoint is of a machine with the cpuFlags "avx avx2 sse"; this one has "".',
    ]);
  });

  it('returns what only warns', () => {
    expect(requireCompatible(MACHINE_FACTS, { ...MACHINE_FACTS, libc: 'musl' })).toMatchObject([{ property: 'libc' }]);
  });
});

describe('facts of this machine', () => {
  it('are all known, and the machine is compatible with itself', async () => {
    const facts = await machineFacts('4.2.1');
    expect(facts).toMatchObject({
      architecture: expect.stringMatching(/^(x86_64|aarch64|\w+)$/),
      bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      libc: expect.stringMatching(/^(glibc \d+\.\d+)?$/),
      criu: '4.2.1',
    });
    expect([4096, 16384, 65536]).toContain(facts.pageSize);
    expect(facts.cpuFlags.length).toBeGreaterThan(5);
    expect([...facts.cpuFlags].sort()).toEqual(facts.cpuFlags);
    expect(compare(facts, facts).filter(({ severity }) => severity !== 'unknown')).toEqual([]);
  });

  it('show the page size from the auxiliary vector, and 0 without it', () => {
    const entry = (type: bigint, value: bigint): Buffer => {
      const bytes = Buffer.alloc(16);
      bytes.writeBigUInt64LE(type, 0);
      bytes.writeBigUInt64LE(value, 8);
      return bytes;
    };
    expect(pageSize(Buffer.concat([entry(3n, 1n), entry(6n, 65536n), entry(0n, 0n)]))).toBe(65536);
    expect(pageSize(entry(0n, 0n))).toBe(0);
  });

  it.each([
    ['v2', '30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw'],
    ['v1', '30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu'],
    [
      'hybrid',
      '30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw\n31 1 0:27 / /sys/fs/cgroup/unified rw - cgroup2 x rw',
    ],
    ['none', '30 1 0:26 / /proc rw - proc proc rw'],
  ])('show the mode of control groups: %s', (mode, mountInfo) => {
    expect(cgroupMode(mountInfo)).toBe(mode);
  });
});
