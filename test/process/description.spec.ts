import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OwnPostgres } from '../support/own-postgres';
import { startBuild, startBuilt, type Start } from '../support/start';

const PROJECT = join(__dirname, '../..');
const BUILT = 'dist/openapi/description.json';

const published = (): string => JSON.stringify(JSON.parse(readFileSync(join(PROJECT, 'docs/openapi.json'), 'utf8')));

describe('the description of a build', () => {
  let postgres: OwnPostgres;
  let copy: string;
  const running: Start[] = [];

  beforeAll(async () => {
    postgres = await OwnPostgres.create();
    copy = mkdtempSync(join(tmpdir(), 'build-'));
  });
  afterEach(async () => {
    for (const started of running.splice(0)) {
      started.kill();
      await started.exit;
    }
  });
  afterAll(async () => {
    await postgres.remove();
    rmSync(copy, { recursive: true, force: true });
  });

  async function served(start: (variables: Record<string, string>) => Start): Promise<string> {
    const started = start({ DATABASE_URL: postgres.url });
    running.push(started);
    return (await fetch(`${await started.address()}/v1/openapi.json`)).text();
  }

  it('is written by npm run compile, and equals the published one', async () => {
    expect((await served(startBuilt)) === published()).toBe(true);
    expect(readFileSync(join(PROJECT, BUILT), 'utf8') === published()).toBe(true);
  });

  it('is served as it was written, and built by the start if it is missing', async () => {
    for (const name of ['node_modules', 'package.json']) symlinkSync(join(PROJECT, name), join(copy, name));
    cpSync(join(PROJECT, 'dist'), join(copy, 'dist'), { recursive: true });
    const startCopy = (variables: Record<string, string>): Start => startBuild(copy, variables);

    writeFileSync(join(copy, BUILT), '{"written":"by the build"}');
    expect(await served(startCopy)).toBe('{"written":"by the build"}');
    rmSync(join(copy, BUILT));
    expect((await served(startCopy)) === published()).toBe(true);
  });
});
