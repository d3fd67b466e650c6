import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dumpedBytesOf, residentBytesOf, treeOf } from './processes';

const MIB = 1024 * 1024;
const SHARED_MIB = 64;
const OWN_MIB = 16;
/** Of Python itself, each. */
const OTHER_MIB = 12;
const CHILDREN = 3;
/** Each process has read all of the shared memory, and has some that is its own. */
const SHARE = `import mmap, os, signal
MIB = 1 << 20
shared = mmap.mmap(-1, ${SHARED_MIB} * MIB)
def touch(memory, size):
    for at in range(0, size, 4096): memory[at] = 1
touch(shared, len(shared))
own = None
ready, done = os.pipe()
for _ in range(${CHILDREN}):
    if os.fork() == 0:
        touch(shared, len(shared))
        own = mmap.mmap(-1, ${OWN_MIB} * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        touch(own, len(own))
        os.write(done, b".")
        signal.pause()
for _ in range(${CHILDREN}): os.read(ready, 1)
print("up", flush=True)
signal.pause()`;

describe('The bytes of a dump', () => {
  it('count shared memory once, and what each process has of its own', async () => {
    const child = spawn('python3', ['-c', SHARE], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    try {
      await once(child.stdout, 'data');
      const pids = treeOf(child.pid!);
      const resident = pids.reduce((sum, pid) => sum + residentBytesOf(pid), 0);
      const bytes = dumpedBytesOf(pids);
      expect(pids).toHaveLength(1 + CHILDREN);
      expect(resident).toBeGreaterThan(pids.length * SHARED_MIB * MIB);
      expect(bytes).toBeGreaterThanOrEqual((SHARED_MIB + CHILDREN * OWN_MIB) * MIB);
      expect(bytes).toBeLessThan((SHARED_MIB + CHILDREN * OWN_MIB + pids.length * OTHER_MIB) * MIB);
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
  });

  it('are 0 of a process that has ended', () => {
    expect(dumpedBytesOf([])).toBe(0);
    expect(dumpedBytesOf([2 ** 22 + 1])).toBe(0);
  });
});
