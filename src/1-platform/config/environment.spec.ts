import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { directUrl, EnvironmentError, readEnvironment } from './environment';

type Variables = Record<string, string>;

const STORAGE = { OBJECT_STORAGE_URL: 'http://storage.example:9000', OBJECT_STORAGE_BUCKET: 'plugins' };

/** The variables of `.env.example`, with the defaults it shows. */
const example: Variables = Object.fromEntries(
  [...readFileSync(join(__dirname, '../../../.env.example'), 'utf8').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

/** The names of all variables that are read when these are set. */
function looked(variables: Variables): Set<string> {
  const names = new Set<string>();
  const source = new Proxy(variables, {
    get: (target, name) => {
      names.add(String(name));
      return target[String(name)];
    },
  });
  readEnvironment(source);
  return names;
}

const JWT = {
  AUTH_JWKS_URL: 'https://identity.example/jwks.json',
  AUTH_ISSUER: 'https://identity.example/',
  AUTH_AUDIENCE: 'control-plane',
};
const SIGN_IN = {
  ...JWT,
  AUTH_CLIENT_ID: 'console',
  AUTH_AUTHORIZATION_URL: 'https://identity.example/authorize',
  AUTH_TOKEN_URL: 'https://identity.example/token',
};

describe('the environment', () => {
  it('is described in .env.example, variable by variable', () => {
    // OpenTelemetry defines and reads its own.
    const own = Object.keys(example).filter((name) => !name.startsWith('OTEL_'));
    expect([...looked({ ...SIGN_IN, ...STORAGE })].sort()).toEqual(own.sort());
  });

  it('gives a worker up by default before the official client leaves', () => {
    expect(readEnvironment({}).workerAnswerTimeoutSeconds * 1_000).toBeLessThan(OpenAI.DEFAULT_TIMEOUT);
  });

  it('has the defaults that .env.example shows', () => {
    const defaults = readEnvironment({});
    expect(readEnvironment(example)).toEqual(defaults);
    // An empty value counts as missing, so a default that is missing in the file would go unnoticed: set each
    // of them differently.
    const { AUTH_ORGANISATION_CLAIM, AUTH_ROLE_CLAIM } = example;
    expect(readEnvironment(JWT).jwt).toEqual(readEnvironment({ ...JWT, AUTH_ORGANISATION_CLAIM, AUTH_ROLE_CLAIM }).jwt);
    const { AUTH_SCOPE } = example;
    expect(readEnvironment(SIGN_IN).jwt).toEqual(readEnvironment({ ...SIGN_IN, AUTH_SCOPE }).jwt);
    const { OBJECT_STORAGE_REGION, OBJECT_STORAGE_PATH_STYLE } = example;
    expect(readEnvironment(STORAGE).objectStorage).toEqual(
      readEnvironment({ ...STORAGE, OBJECT_STORAGE_REGION, OBJECT_STORAGE_PATH_STYLE }).objectStorage,
    );
    expect(defaults).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      dataDir: '.data',
      databaseUrl: undefined,
      databaseListenUrl: undefined,
      databasePoolSize: 10,
      databaseStatementTimeoutMs: 15_000,
      bootstrapToken: undefined,
      logLevel: 'info',
      logPretty: false,
      checkpointTimeoutSeconds: 900,
      slurmJobRetentionDays: 90,
      drainDelaySeconds: 0,
      drainTimeoutSeconds: 25,
      workerEndpointAllow: undefined,
      workerAnswerTimeoutSeconds: 590,
      jwt: undefined,
      publicUrl: undefined,
      objectStorage: undefined,
      objectStorageDir: join('.data', 'objects'),
      objectStorageTimeoutMs: 5_000,
      objectUrlSeconds: 900,
      objectMaxBytes: 1024 ** 3,
      pluginsPublic: true,
    });
    for (const name of ['PORT', 'HOST', 'DATA_DIR', 'DATABASE_POOL_SIZE', 'LOG_LEVEL', 'AUTH_ROLE_CLAIM'])
      expect([name, example[name]]).not.toEqual([name, '']);
  });

  it('is frozen', () => {
    const environment = readEnvironment(JWT);
    expect(Object.isFrozen(environment)).toBe(true);
    expect(Object.isFrozen(environment.jwt)).toBe(true);
  });

  it('ignores spaces around values, and treats empty values as missing', () => {
    expect(readEnvironment({ PORT: ' 8080 ', HOST: '  ', LOG_LEVEL: '' })).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      logLevel: 'info',
    });
  });

  it.each<[string, string]>([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['PORT', 'eighty'],
    ['DATABASE_URL', 'mysql://user:S3cret-Value@db/main'],
    ['DATABASE_URL', 'user:S3cret-Value@db'],
    ['DATABASE_LISTEN_URL', 'mysql://user:S3cret-Value@db/main'],
    ['DATABASE_LISTEN_URL', 'S3cret-Value'],
    ['DATABASE_READ_URL', 'mysql://user:S3cret-Value@db/main'],
    ['DATABASE_READ_MAX_LAG_MS', '999'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_STATEMENT_TIMEOUT_MS', '99'],
    ['BOOTSTRAP_TOKEN', 'S3cret'],
    ['BOOTSTRAP_TOKEN', 'S3cret-Value with spaces'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_PRETTY', 'yes'],
    ['CHECKPOINT_TIMEOUT_SECONDS', '0'],
    ['AUDIT_RETENTION_DAYS', '-1'],
    ['LEDGER_RETENTION_DAYS', '-1'],
    ['SLURM_JOB_RETENTION_DAYS', '0'],
    ['LIFECYCLE_RETENTION_DAYS', '0'],
    ['DRAIN_DELAY_SECONDS', '301'],
    ['DRAIN_TIMEOUT_SECONDS', '0'],
    ['WORKER_ANSWER_TIMEOUT_SECONDS', '0'],
    ['AUTH_JWKS_URL', 'file:///etc/S3cret-Value'],
    ['MARKETPLACE_API_URL', 'ftp://S3cret-Value/v1'],
    ['MARKETPLACE_API_URL', 'https://user:S3cret-Value@market.example/v1'],
    ['MARKETPLACE_API_URL', 'https://market.example/v1?key=S3cret-Value'],
    ['MARKETPLACE_API_KEY', 'S3cret-Value\nof two lines'],
    ['MARKETPLACE_API_KEY', 'S3cret-Value with spaces'],
    ['MARKETPLACE_TIMEOUT_MS', '99'],
    ['PUBLIC_URL', 'control.example.com/S3cret-Value'],
    ['OBJECT_STORAGE_URL', 's3://S3cret-Value'],
    ['OBJECT_STORAGE_TIMEOUT_MS', '99'],
    ['OBJECT_URL_SECONDS', '604801'],
    ['OBJECT_MAX_BYTES', '5368709121'],
    ['PLUGINS_PUBLIC', 'maybe'],
    ['WORKER_ENDPOINT_ALLOW', ','],
    ['WORKER_ENDPOINT_ALLOW', '10.0.0.0/8,'],
    ['WORKER_ENDPOINT_ALLOW', '10.0.0.0/8, 10.0.0.0/33'],
    ['WORKER_ENDPOINT_ALLOW', Array.from({ length: 1_001 }, () => '10.0.0.1').join()],
  ])('refuses %s=%s in one line that names it and does not repeat it', (name, value) => {
    const message = refusal({ [name]: value });
    expect(message).toContain(name);
    expect(message).not.toContain('\n');
    if (value.length > 4) expect(message).not.toContain(value);
    expect(message).not.toContain('S3cret');
  });

  it('lists the endpoints that workers may have', () => {
    const { workerEndpointAllow } = readEnvironment({
      WORKER_ENDPOINT_ALLOW: ' 10.0.0.0/8,worker.svc:8000 , [::1]:8000',
    });
    expect(workerEndpointAllow).toEqual(['10.0.0.0/8', 'worker.svc:8000', '[::1]:8000']);
    expect(Object.isFrozen(workerEndpointAllow)).toBe(true);
    expect(refusal({ WORKER_ENDPOINT_ALLOW: '10.0.0.0/8,10.0.0.0/8:80' })).toContain('entry 2');
  });

  it('has a marketplace if there is a key, with an address without a trailing slash', () => {
    expect(readEnvironment({ MARKETPLACE_API_URL: 'https://market.example/v1/' }).marketplace).toBeUndefined();
    const { marketplace } = readEnvironment({
      MARKETPLACE_API_KEY: 'k',
      MARKETPLACE_API_URL: 'http://market:8080/v1//',
    });
    expect(marketplace).toEqual({ url: 'http://market:8080/v1', key: 'k', timeoutMs: 15_000 });
    expect(Object.isFrozen(marketplace)).toBe(true);
    const defaults = readEnvironment({ ...example, MARKETPLACE_API_KEY: 'k' });
    expect(defaults.marketplace).toEqual(readEnvironment({ MARKETPLACE_API_KEY: 'k' }).marketplace);
  });

  it('has a direct connection beside a pooler only', () => {
    const DATABASE_LISTEN_URL = 'postgres://u:p@db:5432/main';
    expect(refusal({ DATABASE_LISTEN_URL })).toBe('DATABASE_URL must be set when DATABASE_LISTEN_URL is');
    const pooled = readEnvironment({ DATABASE_LISTEN_URL, DATABASE_URL: 'postgres://u:p@pooler:6432/main' });
    expect(directUrl(pooled)).toBe(DATABASE_LISTEN_URL);
    expect(directUrl(readEnvironment({ DATABASE_URL: 'postgres://u:p@db/main' }))).toBe('postgres://u:p@db/main');
  });

  it('has a read replica beside a primary only', () => {
    const DATABASE_READ_URL = 'postgres://u:p@replica:5432/main';
    expect(refusal({ DATABASE_READ_URL })).toBe('DATABASE_URL must be set when DATABASE_READ_URL is');
    const both = readEnvironment({ DATABASE_READ_URL, DATABASE_URL: 'postgres://u:p@db/main' });
    expect(both).toMatchObject({ databaseReadUrl: DATABASE_READ_URL, databaseReadMaxLagMs: 5_000 });
    expect(readEnvironment({}).databaseReadUrl).toBeUndefined();
  });

  it('keeps objects in the data directory, or in the configured one', () => {
    expect(readEnvironment({ DATA_DIR: '/data' }).objectStorageDir).toBe('/data/objects');
    expect(readEnvironment({ DATA_DIR: '/data', OBJECT_STORAGE_DIR: '/shared' }).objectStorageDir).toBe('/shared');
  });

  it('needs a bucket if OBJECT_STORAGE_URL is set, and both keys or neither', () => {
    expect(readEnvironment(STORAGE).objectStorage).toEqual({
      url: STORAGE.OBJECT_STORAGE_URL,
      publicUrl: STORAGE.OBJECT_STORAGE_URL,
      bucket: 'plugins',
      region: 'us-east-1',
      pathStyle: true,
      credentials: undefined,
    });
    expect(refusal({ ...STORAGE, OBJECT_STORAGE_BUCKET: '' })).toBe(
      'OBJECT_STORAGE_BUCKET must be set when OBJECT_STORAGE_URL is',
    );
    for (const name of ['OBJECT_STORAGE_ACCESS_KEY_ID', 'OBJECT_STORAGE_SECRET_ACCESS_KEY'])
      expect(refusal({ ...STORAGE, [name]: 'S3cret-Value' })).toContain('must be set together');
    const keys = { OBJECT_STORAGE_ACCESS_KEY_ID: 'id', OBJECT_STORAGE_SECRET_ACCESS_KEY: 'secret' };
    const set = readEnvironment({ ...STORAGE, ...keys }).objectStorage;
    expect(set?.credentials).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
    expect([set, set?.credentials].map(Object.isFrozen)).toEqual([true, true]);
  });

  it.each(['AUTH_ISSUER', 'AUTH_AUDIENCE'])('needs %s if AUTH_JWKS_URL is set', (name) => {
    expect(refusal({ ...JWT, [name]: '' })).toBe(`${name} must be set when AUTH_JWKS_URL is`);
  });

  it.each(['AUTH_AUTHORIZATION_URL', 'AUTH_TOKEN_URL'])('needs %s, an address, if AUTH_CLIENT_ID is set', (name) => {
    expect(refusal({ ...SIGN_IN, [name]: '' })).toBe(`${name} must be set when AUTH_CLIENT_ID is`);
    expect(refusal({ ...SIGN_IN, [name]: 'javascript:0' })).toMatch(`${name} must be a URL`);
  });

  it('lets people sign in with their identity provider only where a client is configured', () => {
    expect(readEnvironment(JWT).jwt?.signIn).toBeUndefined();
    expect(readEnvironment(SIGN_IN).jwt?.signIn).toEqual({
      clientId: 'console',
      authorizationUrl: 'https://identity.example/authorize',
      tokenUrl: 'https://identity.example/token',
      scope: 'openid',
    });
  });
});

function refusal(variables: Variables): string {
  try {
    readEnvironment(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(EnvironmentError);
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}
