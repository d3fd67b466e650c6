import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const PROJECT = resolve(__dirname, '../..');

/** Loads what the service loads before it serves, and prints the address of each file. */
const LOAD = `
  const urls = [];
  require('node:module').registerHooks({
    load(url, context, next) {
      urls.push(url);
      return next(url, context);
    },
  });
  require('./dist/serve.js');
  require('./dist/service.js');
  process.stdout.write(JSON.stringify(urls), () => process.exit(0));`;

/** Each takes 7 to 30 ms of a start, and up to 3 MB of every service. */
const RARELY_NEEDED = [
  '@aws-sdk/client-s3',
  '@nestjs/swagger',
  '@opentelemetry/instrumentation',
  'ajv',
  'jose',
  'pino-pretty',
  'snappy',
  'swagger-ui-dist',
  'yaml',
];

describe('the built service', () => {
  let packages: ReadonlySet<string | undefined>;

  beforeAll(() => {
    execFileSync('npm', ['run', '--silent', 'compile'], { cwd: PROJECT });
    const loaded = execFileSync(process.execPath, ['-e', LOAD], { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 24 });
    const urls = JSON.parse(loaded) as string[];
    packages = new Set(urls.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]));
  });

  it('loads what it needs from the beginning', () => {
    expect([...packages]).toEqual(expect.arrayContaining(['@nestjs/core', 'express', 'pg', 'typeorm', 'undici']));
  });

  it('loads what few services need when it needs it, not when it starts', () => {
    expect(RARELY_NEEDED.filter((name) => packages.has(name))).toEqual([]);
  });
});
