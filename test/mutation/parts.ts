/** A part of the service whose tests are themselves tested: do they notice when its code is changed? */
export interface Part {
  readonly name: string;
  /** What Stryker changes. Unit tests take milliseconds for each change, others a start of the service. */
  readonly sources: readonly Sources[];
  /** Files with SQL, in which `statement-mutants.ts` changes statements. */
  readonly statements: readonly string[];
  /** Specs that run the statements. Each mutant of a statement costs a start of the service. */
  readonly statementSpecs: readonly string[];
}

/** Sources with the specs that must notice a change of them. */
export interface Sources {
  readonly files: readonly string[];
  /** In the order in which they run until one fails: the fast ones first. */
  readonly specs: readonly string[];
}

/** Unit tests are beside the sources, and need no database. */
export const runsService = ({ specs }: Sources): boolean => specs.some((spec) => spec.startsWith('test/'));

const ADMISSION = 'src/1-platform/http/admission';
const AUTH = 'src/1-platform/auth';
const OUTBOX = 'src/1-platform/outbox';
const ADMISSIONS = 'src/5-traffic/admissions';
const RETENTION = 'src/4-serving/retention-policies';
const CHOICE = 'src/5-traffic/routes/choice';

const inFolder = (folder: string, names: readonly string[]): string[] => names.map((name) => `${folder}/${name}`);

const TOKENS = 'test/e2e/1-platform/tokens';
const E2E_ADMISSIONS = 'test/e2e/5-traffic/admissions';
const E2E_OUTBOX = 'test/e2e/1-platform/outbox';
const E2E_RETENTION = 'test/e2e/4-serving/retention-policies';
const ROUTERS = 'test/e2e/5-traffic/external-routers';

/** Rules with unit tests: each file with the spec beside it. */
const withOwnSpecs = (folder: string, names: readonly string[]): Sources => ({
  files: names.map((name) => `${folder}/${name}.ts`),
  specs: names.map((name) => `${folder}/${name}.spec.ts`),
});

export const PARTS: readonly Part[] = [
  {
    name: 'admission',
    sources: [
      withOwnSpecs(ADMISSION, [
        'delay-window',
        'operation-table',
        'place',
        'places-beside',
        'refused-connections',
        'work-limits',
      ]),
      {
        files: inFolder(ADMISSION, ['admission.ts']),
        specs: [`${ADMISSION}/admission.spec.ts`, 'test/e2e/1-platform/http/overload.spec.ts'],
      },
    ],
    statements: [],
    statementSpecs: [],
  },
  {
    name: 'guards',
    sources: [
      withOwnSpecs(AUTH, ['accepted-lag']),
      withOwnSpecs(`${AUTH}/bearers`, ['bearer-cache']),
      {
        files: [
          `${AUTH}/bearer.guard.ts`,
          ...inFolder(`${AUTH}/bearers`, [
            'key-verifier.ts',
            'known-bearers.ts',
            'token-secrets.ts',
            'token-verifier.ts',
          ]),
          'src/1-platform/endpoints/access.ts',
        ],
        specs: [
          `${AUTH}/bearer.guard.spec.ts`,
          `${AUTH}/bearers/known-bearers.spec.ts`,
          'test/security/09-access.spec.ts',
          ...inFolder(TOKENS, ['tokens.spec.ts', 'scopes.spec.ts']),
          'test/e2e/5-traffic/inference-keys/secrets.spec.ts',
        ],
      },
      { files: [`${AUTH}/bearers/jwt-verifier.ts`], specs: ['test/e2e/1-platform/auth/jwt.spec.ts'] },
    ],
    statements: [`${AUTH}/bearers/bearers.queries.ts`],
    statementSpecs: [
      `${TOKENS}/tokens.spec.ts`,
      'test/e2e/1-platform/auth/jwt.spec.ts',
      'test/e2e/5-traffic/inference-keys/inference-keys.spec.ts',
    ],
  },
  {
    name: 'budgets',
    sources: [
      withOwnSpecs(ADMISSIONS, ['prices']),
      {
        files: inFolder(ADMISSIONS, ['admission-lanes.ts', 'admissions.service.ts']),
        specs: [
          `${ADMISSIONS}/admissions.service.spec.ts`,
          `${E2E_ADMISSIONS}/several-keys.spec.ts`,
          `${ROUTERS}/authorize.spec.ts`,
        ],
      },
      {
        files: [`${ADMISSIONS}/settlements.service.ts`],
        specs: [
          `${ADMISSIONS}/settlements.service.spec.ts`,
          ...inFolder(E2E_ADMISSIONS, ['ledger.spec.ts', 'locked-keys.spec.ts', 'long-chats.spec.ts']),
        ],
      },
      {
        files: [`${ADMISSIONS}/ledger/ledger-history.ts`],
        specs: [`${E2E_ADMISSIONS}/ledger-history.spec.ts`],
      },
    ],
    statements: [
      ...inFolder(ADMISSIONS, ['admissions.queries.ts', 'settlements.queries.ts', 'ledger/ledger-balances.queries.ts']),
      ...inFolder(`${ADMISSIONS}/functions`, [
        'admit_requests_of_keys.sql',
        'admit_requests_one_by_one.sql',
        'attribute_usage.sql',
        'charge_unsettled.sql',
        'held_keys.sql',
        'close_authorizations.sql',
        'settle_requests.sql',
      ]),
    ],
    statementSpecs: [
      ...inFolder(ROUTERS, [
        'authorize.spec.ts',
        'expiry.spec.ts',
        'forgotten-ids.spec.ts',
        'telemetry.spec.ts',
        'resolve.spec.ts',
      ]),
      ...inFolder(E2E_ADMISSIONS, [
        'rules.spec.ts',
        'late-admissions.spec.ts',
        'late-reports.spec.ts',
        'long-chats.spec.ts',
        'renewed-ids.spec.ts',
        'ledger.spec.ts',
        'ledger-history.spec.ts',
        'statements.spec.ts',
        'several-keys.spec.ts',
      ]),
      'test/e2e/5-traffic/chat/refusals.spec.ts',
    ],
  },
  {
    name: 'outbox',
    sources: [
      {
        files: [`${OUTBOX}/outbox-feed.ts`],
        specs: [`${OUTBOX}/outbox-feed.spec.ts`, ...inFolder(E2E_OUTBOX, ['outbox.spec.ts', 'checker.spec.ts'])],
      },
      {
        files: inFolder(OUTBOX, ['outbox-sweeps.ts', 'outbox.service.ts', 'outbox.ts']),
        specs: inFolder(E2E_OUTBOX, ['outbox.spec.ts', 'checker.spec.ts']),
      },
    ],
    statements: [`${OUTBOX}/outbox.queries.ts`, `${OUTBOX}/functions/outbox_sequence.sql`],
    statementSpecs: inFolder(E2E_OUTBOX, ['outbox.spec.ts', 'checker.spec.ts']),
  },
  {
    name: 'retention',
    sources: [
      withOwnSpecs(RETENTION, ['retention-rule']),
      {
        files: [
          ...inFolder(RETENTION, ['retention-policies.service.ts', 'retention-runs.ts']),
          'src/4-serving/artifacts/residency/kept-artifacts.queries.ts',
        ],
        specs: inFolder(E2E_RETENTION, ['policies.spec.ts', 'runs.spec.ts', 'racing.spec.ts']),
      },
    ],
    statements: [
      `${RETENTION}/retention-policies.queries.ts`,
      'src/4-serving/artifacts/residency/kept-artifacts.queries.ts',
    ],
    statementSpecs: inFolder(E2E_RETENTION, ['policies.spec.ts', 'runs.spec.ts', 'racing.spec.ts']),
  },
  {
    name: 'routing',
    sources: [
      withOwnSpecs(CHOICE, ['route-choice', 'routing-table', 'startup-estimate']),
      withOwnSpecs(`${CHOICE}/workers`, ['worker-choice']),
      {
        files: [`${CHOICE}/workers/worker-rests.ts`, `${CHOICE}/workers/worker-seats.ts`],
        specs: [`${CHOICE}/workers/worker-seats.spec.ts`, 'test/e2e/5-traffic/chat/several-workers.spec.ts'],
      },
    ],
    statements: [`${CHOICE}/routing-tables.queries.ts`],
    statementSpecs: [
      'test/e2e/5-traffic/routes/routed-profiles.spec.ts',
      'test/e2e/5-traffic/routes/status.spec.ts',
      'test/e2e/5-traffic/routes/state.spec.ts',
      'test/e2e/5-traffic/chat/several-workers.spec.ts',
      `${ROUTERS}/resolve.spec.ts`,
      `${ROUTERS}/authorize.spec.ts`,
    ],
  },
];
