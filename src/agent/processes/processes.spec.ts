import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dumpedBytesOf, residentBytesOf, treeOf } from './processes';

const MIB = 1024 * 1024;
const SHARED_MIB = 64;
const OWN_MIB = 16;
/** Of Python itself, each. */
const OTHER_MIB = 12;
/** Each pair shares memory that the other pair does not have. */
const PAIRS = 2;
const SHARE = `import mmap, os, signal
MIB = 1 << 20
def touch(memory):
    for at in range(0, len(memory), 4096): memory[at] = 1
ready, done = os.pipe()
for _ in range(${PAIRS}):
    shared = mmap.mmap(-1, ${SHARED_MIB} * MIB)
    for _ in range(2):
        if os.fork() == 0:
            own = mmap.mmap(-1, ${OWN_MIB} * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            touch(shared)
            touch(own)
            os.write(done, b".")
            signal.pause()
for _ in range(2 * ${PAIRS}): os.read(ready, 1)
print("up", flush=True)
signal.pause()`;

describe('The bytes of a dump', () => {
  it('have each page of shared memory once, and what each process has of its own', async () => {
    const child = spawn('python3', ['-c', SHARE], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    try {
      await once(child.stdout, 'data');
      const pids = treeOf(child.pid!);
      expect(pids).toHaveLength(1 + 2 * PAIRS);
      const resident = pids.reduce((sum, pid) => sum + residentBytesOf(pid), 0);
      const expected = PAIRS * (SHARED_MIB + 2 * OWN_MIB) * MIB;
      expect(resident).toBeGreaterThan(expected + PAIRS * SHARED_MIB * MIB);
      const bytes = await dumpedBytesOf(pids);
      expect(bytes).toBeGreaterThanOrEqual(expected);
      expect(bytes).toBeLessThan(expected + pids.length * OTHER_MIB * MIB);
      // Alone, a process has all that it maps.
      expect(await dumpedBytesOf([pids[1]!])).toBeGreaterThanOrEqual((SHARED_MIB + OWN_MIB) * MIB);
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
  });

  it('are 0 of a process that has ended', async () => {
    expect(await dumpedBytesOf([])).toBe(0);
    expect(await dumpedBytesOf([2 ** 22 + 1])).toBe(0);
  });
});
