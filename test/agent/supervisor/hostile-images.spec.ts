import { readdirSync, readFileSync, readlinkSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileHasher } from '../../../src/agent/store/hashing/file-hashes';
import { hashImages } from '../../../src/agent/store/image-folder';
import { StoreKey } from '../../../src/agent/store/store-key';
import { signed } from '../../support/checkpoint-stores';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest, runs } from '../support/agent';

const PROGRAM = 'import os, time; kept = os.urandom(4 << 20); print("up", flush=True)\nwhile True: time.sleep(0.05)';

describeWith(['CRIU'], 'A restore of hostile images', () => {
  let agent: AgentUnderTest;
  beforeAll(() => (agent = new AgentUnderTest()));
  afterEach(() => agent.killAll());
  afterAll(() => agent.remove());

  /** Processes that have a file open, other than this one. */
  const holdersOf = (path: string): number[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .map(Number)
      .filter((pid) => {
        try {
          return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === path);
        } catch {
          return false;
        }
      });

  it('does not outlive a killed supervisor, although the images keep CRIU reading', async () => {
    const first = agent.run('first', ['python3', '-c', PROGRAM]);
    await first.printed('up');
    const taken = await agent.checkpoint('first');
    // Also of an agent with the key: it was attacked, or its disk was full.
    const pages = join(taken.reference, 'images/pages-1.img');
    truncateSync(pages, statSync(pages).size / 2);
    const key = StoreKey.of({ stateDir: agent.state, storeKeyFile: undefined });
    const hasher = new FileHasher();
    const files = await hashImages(join(taken.reference, 'images'), hasher, { disk: undefined, known: new Map() });
    await hasher.end();
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    writeFileSync(join(taken.reference, 'manifest.json'), signed({ ...agent.manifest(taken), files, bytes }, key));

    const second = agent.run('second', [], ['--restore', taken.reference]);
    const work = join(agent.folder('second'), 'criu');
    let log = '';
    let left: number[] = [];
    await eventually(() => {
      // Each restore has a directory of its own.
      const [own] = readdirSync(work).filter((name) => name.startsWith('restore-'));
      log = join(work, own!, 'restore.log');
      // CRIU itself, and the process that reads for ever.
      left = holdersOf(log);
      expect(left.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))).toContain('');
    });
    await second.kill();
    // The next one of its name waits for the guard, which gives CRIU time to end by itself.
    await agent.run('second', ['echo', 'next']).printed('next');
    expect(left.filter(runs)).toEqual([]);
    expect(holdersOf(log)).toEqual([]);
  });
});
