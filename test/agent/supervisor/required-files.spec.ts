import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernelFeatures } from '../../../src/agent/machine/kernel-features';
import { StoreKey } from '../../../src/agent/store/store-key';
import { signed } from '../../support/checkpoint-stores';
import { describeWith } from '../../support/components';
import { eventually } from '../../support/eventually';
import { AgentUnderTest } from '../support/agent';

const HOLD = join(__dirname, '../programs/hold.py');

/** Has a file open, mapped another one, and removed a third one that it still uses. */
const PROGRAM = `import mmap, os, sys, time
held = open(sys.argv[1], 'r+b')
mapped = open(sys.argv[2], 'rb')
view = mmap.mmap(mapped.fileno(), 0, prot=mmap.PROT_READ)
mapped.close()
ghost = open(sys.argv[1] + '.ghost', 'w+b')
ghost.write(b'kept'); ghost.flush()
os.unlink(sys.argv[1] + '.ghost')
print('up', flush=True)
while True: time.sleep(0.05)`;

describeWith(['CRIU'], 'A restore that needs files, or a machine', () => {
  let agent: AgentUnderTest;
  const mounted: string[] = [];
  let count = 0;

  beforeAll(() => (agent = new AgentUnderTest()));
  afterEach(async () => {
    await agent.killAll();
    for (const path of mounted.splice(0)) spawnSync('umount', ['--lazy', path]);
  });
  afterAll(() => agent.remove());

  /** @param folder of its files. @returns the reference of its checkpoint */
  const taken = async (folder: string): Promise<string> => {
    const paths = ['held', 'mapped'].map((name) => join(folder, name));
    for (const path of paths) writeFileSync(path, '0123456789');
    const name = `first-${++count}`;
    const first = agent.run(name, ['python3', '-c', PROGRAM, ...paths]);
    await first.printed('up');
    const { reference } = await agent.checkpoint(name);
    await first.kill();
    return reference;
  };
  const folderOf = (name: string): string => {
    const folder = join(agent.root, name);
    mkdirSync(folder);
    return folder;
  };
  const restored = (reference: string) => agent.run(`second-${++count}`, [], ['--restore', reference]);
  /** Whether CRIU was started for it. */
  const began = (): boolean => {
    const work = join(agent.folder(`second-${count}`), 'criu');
    return existsSync(work) && readdirSync(work).some((name) => name.startsWith('restore-'));
  };

  it('succeeds while they are as they were', async () => {
    restored(await taken(folderOf('same')));
    const name = `second-${count}`;
    await eventually(async () => expect((await agent.status(name)).phase).toBe('running'));
  });

  it.each([
    ['open', 'held'],
    ['mapped', 'mapped'],
  ])('is refused before CRIU starts if the %s file is gone, or has another size', async (what, name) => {
    const folder = folderOf(`changed-${what}`);
    const reference = await taken(folder);
    const path = join(folder, name);
    renameSync(path, `${path}.away`);
    const missing = await restored(reference).ended;
    expect([missing.code === 0, began()]).toEqual([false, false]);
    expect(missing.err).toContain(`The file ${path}, which was open when it was dumped, cannot be opened`);
    writeFileSync(path, 'more than it was');
    const changed = await restored(reference).ended;
    expect([changed.code === 0, began()]).toEqual([false, false]);
    expect(changed.err).toContain(`The file ${path} has 16 bytes, and had 10`);
  });

  it('is refused for what the machine lacks, again and again, and takes place once that is allowed', async () => {
    const reference = await taken(folderOf('machine'));
    const manifest = agent.manifest({ reference });
    const { machine } = manifest;
    const lacking = { cpuFlags: [...machine.cpuFlags, 'imaginary'], kernelFeatures: ['inotify', 'imagined'] };
    const other = { ...manifest, machine: { ...machine, ...lacking } };
    const key = StoreKey.of({ stateDir: agent.state, storeKeyFile: undefined });
    writeFileSync(join(reference, 'manifest.json'), signed(other, key));
    for (const words of ['its CPU lacks imaginary; its kernel lacks imagined.', 'is not tried again yet']) {
      const { code, err } = await restored(reference).ended;
      expect([code === 0, began()]).toEqual([false, false]);
      expect(err).toContain(words);
    }
    const name = `second-${++count}`;
    const allowed = agent.run(name, [], ['--restore', reference, '--allow-incompatible']);
    await eventually(async () => expect((await agent.status(name)).phase).toBe('running'));
    for (const words of ['its CPU lacks imaginary.', 'its kernel lacks imagined.'])
      expect(allowed.err).toContain(words);
  });

  it('finds in the manifest what the images need of a kernel, and says that the image of the container differs', async () => {
    const inImage = (digest: string) => ({ CCP_IMAGE_DIGEST: `sha256:${digest.repeat(64)}` });
    const hasIpv6 = (await kernelFeatures()).includes('ipv6');
    const listens = hasIpv6 ? ['listen=:::0'] : [];
    const held = ['python3', HOLD, `inotify=${folderOf('watched')}`, ...listens, 'seccomp'];
    const first = agent.start(['run', '--name', 'needing', '--', ...held], inImage('a'));
    await first.printed('ready');
    const { reference } = await agent.checkpoint('needing');
    await first.kill();
    const { machine } = agent.manifest({ reference });
    expect(machine).toMatchObject({
      kernelFeatures: ['inotify', ...(hasIpv6 ? ['ipv6'] : []), 'seccomp'],
      imageDigest: `sha256:${'a'.repeat(64)}`,
    });
    // Containers may give every process a filter.
    const inherited = /^Seccomp:\s*2/m.test(readFileSync('/proc/self/status', 'utf8')) ? ['seccomp'] : [];
    expect(agent.manifest({ reference: await taken(folderOf('plain')) }).machine.kernelFeatures).toEqual(inherited);

    const second = agent.start(['run', '--name', 'elsewhere', '--restore', reference], inImage('b'));
    await eventually(async () => expect((await agent.status('elsewhere')).phase).toBe('running'));
    expect(second.err).toMatch(/with the imageDigest "sha256:a{64}"; this one has "sha256:b{64}"/);
  });

  it('is refused with the name of the mount if that is not there', async () => {
    const folder = folderOf('mount');
    expect(spawnSync('mount', ['-t', 'tmpfs', 'none', folder]).status).toBe(0);
    mounted.push(folder);
    const reference = await taken(folder);
    expect(agent.manifest({ reference }).workload.mounts).toEqual([{ point: folder, type: 'tmpfs' }]);
    expect(spawnSync('umount', ['--lazy', folder]).status).toBe(0);
    const { err, code } = await restored(reference).ended;
    expect([code === 0, began()]).toEqual([false, false]);
    expect(err).toMatch(new RegExp(`was on the mount ${folder} [(]tmpfs[)], which is not on this machine`));
  });
});
