import { freeBytes, requireMemory } from './memory';

const MEMINFO = 'MemTotal:  100 kB\nMemFree:  1 kB\nMemAvailable:     40 kB\nSwapFree:  10 kB\n';

describe('The memory that is free', () => {
  it.each([
    ['that of the machine, with its swap', MEMINFO, '', '', 50 * 1024],
    ['that of the machine, if its control group has no limit', MEMINFO, 'max\n', '100\n', 50 * 1024],
    ['that of the control group, if it is less', MEMINFO, '20000\n', '15000\n', 5_000],
    ['none, if the control group is full', MEMINFO, '100\n', '200\n', 0],
    ['unknown, if nothing can be read', '', '', '', undefined],
  ])('is %s', (_, memInfo, limit, used, expected) => {
    expect(freeBytes(memInfo, limit, used)).toBe(expected);
  });

  it('is compared with what a workload had', async () => {
    await expect(requireMemory(1)).resolves.toBeUndefined();
    await expect(requireMemory(2 ** 50)).rejects.toMatchObject({ facts: { cause: 'memory_missing' } });
  });
});
