import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEEDED } from '../../src/agent/supervisor/capabilities';
import { describeWith, itWith } from '../support/components';
import { eventually } from '../support/eventually';
import { Container, type Mount } from './support/container';
import { billIn, filesIn, installedIn, isSource } from './support/contents';
import { ImageBuilder, type BuiltImage } from './support/image-builder';

const BUILD_MS = 1_200_000;
const MOST_BYTES = 250 * 2 ** 20;
const AGENT = '/opt/ccp/bin/ccp-agent';

describeWith(['buildah', 'debootstrap', 'runc'], 'the image of the agent', () => {
  let builder: ImageBuilder;
  let image: BuiltImage;
  let directory: string;

  beforeAll(() => {
    builder = new ImageBuilder();
    image = builder.build('agent');
    directory = mkdtempSync(join(tmpdir(), 'agent-image-'));
  }, BUILD_MS);
  afterAll(() => {
    if (directory) rmSync(directory, { recursive: true, force: true });
    builder?.close();
  });

  it('has the agent and nothing of the service, in less than 250 MB', () => {
    const mb = (image.bytes / 1e6).toFixed(0);
    writeSync(2, `image of the agent: ${mb} MB, built in ${image.buildSeconds.toFixed(0)} s\n`);
    expect(image.bytes).toBeLessThan(MOST_BYTES);
    const app = join(image.files, 'opt/ccp/app');
    const files = filesIn(app);
    expect(files.filter(isSource)).toEqual([]);
    expect(files.filter((file) => file.startsWith('dist/') && !file.startsWith('dist/agent/'))).toEqual([]);
    const packages = installedIn(app);
    expect(packages).toContainEqual(expect.stringMatching(/^commander@/));
    expect(packages.filter((name) => /^(@nestjs|typeorm|pg|typescript|node@|embedded)/.test(name))).toEqual([]);
    const listed = billIn(app).components.map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(listed)].sort()).toEqual([...new Set(packages)].sort());
  });

  it('runs as a controller does: not as root, on a root file system that is read only', async () => {
    expect(image.config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    const command = [AGENT, 'host', '--help'];
    expect(await Container.run(image, { command })).toEqual({
      code: 0,
      output: expect.stringContaining('--cluster'),
    });
  });

  /** An image of somebody else, with a shell and nothing else: no C library, no Node, no tools. */
  function foreignImage(): BuiltImage {
    const files = join(directory, 'foreign');
    for (const name of ['bin', 'dev', 'etc', 'opt/ccp', 'proc', 'sys', 'state', 'tmp'])
      mkdirSync(join(files, name), { recursive: true });
    copyFileSync(join(image.files, 'opt/ccp/fallback/sh'), join(files, 'bin/sh'));
    return { ...image, files, config: { ...image.config, User: '0:0', Env: ['PATH=/usr/bin:/bin'], WorkingDir: '/' } };
  }

  /** The init container of `docker/kubernetes`: copies the kit into a volume, without rights. */
  async function filledVolume(): Promise<string> {
    const volume = join(directory, 'volume');
    mkdirSync(volume);
    // As an emptyDir.
    chmodSync(volume, 0o777);
    const { code, output } = await Container.run(image, {
      command: ['/opt/ccp/bin/install', '/kit'],
      mounts: [{ at: '/kit', from: volume, writable: true }],
    });
    expect({ code, output }).toEqual({ code: 0, output: '' });
    return volume;
  }

  itWith(['CRIU'], 'brings all that a checkpoint and a restore need into an image that has only a shell', async () => {
    const kit = await filledVolume();
    const foreign = foreignImage();
    const state = join(directory, 'state');
    const counts = join(state, 'counts');
    mkdirSync(counts, { recursive: true });
    const mounts: Mount[] = [
      { at: '/opt/ccp', from: kit },
      { at: '/state', from: state, writable: true },
      { at: '/tmp' },
    ];
    const env = { CCP_STATE_DIR: '/state/agent', CCP_STORE: '/state/store', HOME: '/tmp' };
    // Counts in its memory only; the file shows how far it is.
    writeFileSync(
      join(state, 'count.sh'),
      'n=0; while :; do n=$((n + 1)); echo $n > /state/counts/$n; sleep 0.1; done\n',
    );
    const run = (...args: string[]): Container =>
      Container.start(foreign, {
        command: [AGENT, 'run', '--name', 'counter', ...args, '--', 'sh', '/state/count.sh'],
        env,
        mounts,
        capabilities: Object.keys(NEEDED),
        // CRIU makes a directory in the root of a workload that it dumps.
        isWritable: true,
      });
    const reached = (n: number, container: Container) =>
      eventually(() => {
        if (!existsSync(join(counts, String(n)))) throw new Error(`it has not counted to ${n}: ${container.output}`);
      });

    const first = run();
    try {
      await reached(5, first);
      const taken = first.exec([AGENT, 'checkpoint', 'counter'], env);
      expect({ ...taken, log: first.output }).toMatchObject({ code: 0 });
    } finally {
      first.remove();
    }
    const before = filesIn(counts).length;
    // Nothing is left of the first one but its checkpoint.
    rmSync(counts, { recursive: true });
    mkdirSync(counts);

    const second = run('--restore', 'auto');
    try {
      await reached(before + 5, second);
      // Not counted anew from the start: the memory came back.
      expect(smallest(counts)).toBeGreaterThan(5);
      expect(smallest(counts)).toBeLessThanOrEqual(before + 1);
    } finally {
      second.remove();
    }
  });

  const smallest = (counts: string): number => Math.min(...filesIn(counts).map(Number));
});
