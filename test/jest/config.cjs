const rootDir = require('node:path').resolve(__dirname, '../..');

const { exclude: _exclude, ...swc } = JSON.parse(require('node:fs').readFileSync(`${rootDir}/.swcrc`, 'utf8'));

const shared = {
  rootDir,
  runtime: require.resolve('./runtime.cjs'),
  testEnvironment: require.resolve('./environment.cjs'),
  setupFilesAfterEnv: [require.resolve('./equality.cjs')],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
};

const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/**
 * Specs of statements that PostgreSQL plans or computes
 * differently by version: they run on the oldest one too.
 */
const DIFFERENT_BY_VERSION = [
  'postgres15/*.spec.ts',
  'architecture/{migrations,schema-objects}.spec.ts',
  'e2e/1-platform/database/{schema-objects,upgrade}.spec.ts',
  'e2e/*/{outbox,spending,external-routers,routes,cost-reports,analytics,savings,time-series}/*.spec.ts',
];

module.exports = {
  rootDir,
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'e2e',
      ...withDatabase,
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: ['<rootDir>/test/process/', '<rootDir>/test/attacks/', '<rootDir>/test/postgres15/'],
    },
    {
      ...shared,
      displayName: 'postgres15',
      ...withDatabase,
      testMatch: DIFFERENT_BY_VERSION.map((specs) => `<rootDir>/test/${specs}`),
    },
    // Attacks with measured bounds: run alone, on demand, with `npm run test:attacks`.
    { ...shared, displayName: 'attacks', ...withDatabase, testMatch: ['<rootDir>/test/attacks/*.spec.ts'] },
    // Each starts several processes of the service and keeps the whole machine busy: one after the other.
    { ...shared, displayName: 'process', ...withDatabase, testMatch: ['<rootDir>/test/process/*.spec.ts'] },
  ],
  // Ends what hangs, and measures nothing: a slow machine must not meet it.
  testTimeout: 240_000,
  maxWorkers: 2,
  // A worker keeps what each suite loaded. After some hundred suites it would run out of memory.
  workerIdleMemoryLimit: '1GB',
  // A worker without open handles ends within milliseconds. On a busy machine jest may
  // learn of that after more than its default of half a second, and would report a
  // leak. One that has open handles is still reported.
  workerGracefulExitTimeout: 30_000,
};
