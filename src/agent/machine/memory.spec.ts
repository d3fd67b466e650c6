import { freeBytes, requireMemory } from './memory';

const MEMINFO = 'MemTotal:  100 kB\nMemFree:  1 kB\nMemAvailable:     40 kB\nSwapFree:  10 kB\n';
const STAT = 'anon 4000\nfile 15000\ninactive_anon 1\nactive_file 1000\ninactive_file 14000\n';

describe('The memory that is free', () => {
  it.each([
    ['that of the machine, with its swap', MEMINFO, '', '', '', 50 * 1024],
    ['that of the machine, if its control group has no limit', MEMINFO, 'max\n', '100\n', '', 50 * 1024],
    ['that of the control group, if it is less', MEMINFO, '20000\n', '15000\n', '', 5_000],
    ['also what the control group only caches of files', MEMINFO, '20000\n', '19000\n', STAT, 15_000],
    ['at most the limit of the control group', MEMINFO, '20000\n', '13000\n', STAT, 20_000],
    ['none, if the control group is full', MEMINFO, '100\n', '200\n', '', 0],
    ['unknown, if nothing can be read', '', '', '', '', undefined],
  ])('is %s', (_, memInfo, limit, used, stat, expected) => {
    expect(freeBytes(memInfo, limit, used, stat)).toBe(expected);
  });

  it('is compared with what a workload had', async () => {
    await expect(requireMemory(1)).resolves.toBeUndefined();
    await expect(requireMemory(2 ** 50)).rejects.toMatchObject({ facts: { cause: 'memory_missing' } });
  });
});
