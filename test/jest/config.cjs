const { filesOfOtherTurns } = require('./slow-files.cjs');

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
 * On the oldest PostgreSQL, the short form runs migrations, functions, views and triggers, backups, and some
 * specs of statements that are planned or calculated differently by version. The long form runs every spec.
 */
const DIFFERENT_BY_VERSION = [
  'postgres15/*.spec.ts',
  'architecture/{migrations,schema-objects}.spec.ts',
  'e2e/1-platform/database/schema-objects.spec.ts',
  'e2e/1-platform/outbox/outbox.spec.ts',
  'e2e/5-traffic/admissions/{ledger,statements}.spec.ts',
  'e2e/6-insight/cost-reports/{daily,report}.spec.ts',
  'e2e/6-insight/time-series/backlog.spec.ts',
];
const IN_LONG_FORM = [
  'postgres15/*.spec.ts',
  'architecture/*.spec.ts',
  'e2e/**/*.spec.ts',
  'security/{08,09,12,14,31}-*.spec.ts',
];
const IS_LONG = process.env.TEST_FORM === 'long';

/**
 * Specs of docs/reliability.md that take minutes, need a quiet machine, or have their short form in test/e2e:
 * only the long form runs them.
 */
const LONG_ROWS = [
  'reliability/(01-policies|03-budget-histories|07-instance-crashes)',
  'reliability/(02|16|17|18|19|23|30|32|38)-',
  'reliability/25-soak',
  'security/11-sqlmap',
];

/** Specs of docs/reliability.md that start one service: they run beside those of test/e2e. */
const ROWS_BESIDE_OTHERS = ['security/(08|09|12|14|31)-', ...(IS_LONG ? [] : ['security/13-'])];

/** Slow files of other turns. A run of `npm test` has a turn; jest alone and the long form run all files. */
const ELSEWHERE = filesOfOtherTurns(IS_LONG ? 'all' : (process.env.TEST_TURN ?? 'all')).map(
  (file) => `<rootDir>/${file}$`,
);
const OTHER_PROJECTS = [
  'process',
  'reliability',
  'security',
  'attacks',
  'measures',
  'postgres15',
  'kubernetes',
  'high-availability',
  'image',
].map((folder) => `<rootDir>/test/${folder}/`);

const inTest = (paths) => paths.map((path) => `<rootDir>/test/${path}`);

module.exports = {
  rootDir,
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/src/**/*.spec.ts'], testPathIgnorePatterns: ELSEWHERE },
    {
      ...shared,
      displayName: 'e2e',
      ...withDatabase,
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: [...ELSEWHERE, ...OTHER_PROJECTS],
    },
    {
      ...shared,
      displayName: 'postgres15',
      ...withDatabase,
      testMatch: inTest(IS_LONG ? IN_LONG_FORM : DIFFERENT_BY_VERSION),
      testPathIgnorePatterns: ELSEWHERE,
    },
    // What a pooler and rows cost, on demand, with `npm run test:measures`.
    { ...shared, displayName: 'measures', ...withDatabase, testMatch: ['<rootDir>/test/measures/*.spec.ts'] },
    // Attacks with measured limits: run alone, on demand, with `npm run test:attacks`.
    { ...shared, displayName: 'attacks', ...withDatabase, testMatch: ['<rootDir>/test/attacks/*.spec.ts'] },
    // A real cluster, which takes minutes to build: on demand, with `npm run test:kubernetes`.
    { ...shared, displayName: 'kubernetes', ...withDatabase, testMatch: ['<rootDir>/test/kubernetes/**/*.spec.ts'] },
    // Fail-overs of a cluster, for some minutes: on demand, with `npm run test:high-availability`.
    { ...shared, displayName: 'high-availability', testMatch: ['<rootDir>/test/high-availability/*.spec.ts'] },
    // Builds container images and runs them, on demand, with `npm run test:image`: needs root, and minutes.
    { ...shared, displayName: 'image', testMatch: ['<rootDir>/test/image/*.spec.ts'] },
    // Each starts several processes of the service and loads the whole machine, so they run one after the
    // other.
    {
      ...shared,
      displayName: 'process',
      ...withDatabase,
      testMatch: ['<rootDir>/test/process/*.spec.ts'],
      testPathIgnorePatterns: ELSEWHERE,
    },
    {
      ...shared,
      displayName: 'promises',
      ...withDatabase,
      testMatch: inTest(['security/*.spec.ts']),
      testPathIgnorePatterns: [...ELSEWHERE, ...inTest([`(?!${ROWS_BESIDE_OTHERS.join('|')})`])],
    },
    {
      ...shared,
      displayName: 'reliability',
      ...withDatabase,
      testMatch: inTest(['{reliability,security}/*.spec.ts']),
      testPathIgnorePatterns: [...ELSEWHERE, ...inTest([...ROWS_BESIDE_OTHERS, ...(IS_LONG ? [] : LONG_ROWS)])],
    },
  ],
  reporters: ['default', ...(IS_LONG ? [require.resolve('./outcomes.cjs')] : [])],
  testSequencer: require.resolve('./sequencer.cjs'),
  // Ends hanging tests only; a slow machine must not reach it.
  testTimeout: 240_000,
  // More than there are processors: some wait for a job, a lease or a browser.
  maxWorkers: 3,
  // A worker keeps the modules of every suite, and would run out of memory after some hundred suites.
  workerIdleMemoryLimit: '1GB',
  // A worker without open handles ends within milliseconds. On a busy machine jest may learn of that after
  // more than its default of half a second, and would report a leak. A worker with open handles is still
  // reported.
  workerGracefulExitTimeout: 30_000,
};
