import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Every statement that runs without row level security, and why it may. A statement that is not here belongs
 * into a transaction.
 */
const OF_ONE_ORGANISATION: Record<string, string> = {
  'outbox-sequence': 'Numbers events before each read of the outbox, which controllers poll.',
  'outbox-read': 'Reads the outbox, which controllers poll.',
  'outbox-bounds': 'Comes before each read of the outbox.',
  'outbox-consumer-seen': 'Comes with a read of the outbox.',
  'outbox-consumers': 'Must not share a transaction with the numbering of events before it.',
  'outbox-consumers-remove': 'Follows a read of the outbox, and skips rows that others hold.',
  'idempotency-take': 'Comes before a router operation, which writes apart from transactions.',
  'idempotency-find': 'Gives the first answer of a router operation again.',
  'idempotency-keep': 'Keeps the answer of a router operation.',
  'idempotency-forget-unanswered': 'Gives a key back where a router operation was refused.',
  'organisation-exists': 'Verifies a JWT before its organisation is trusted. It reads `organisations` only.',
  'intents-judge-profile': 'Follows a report of an activation, which may end the pending intent of its profile.',
  'activation-known': 'Reads what a report of an activation is decided on.',
  'activation-repeated': 'Notes a report of an activation that says what is known.',
  'activations-repeated': 'Notes reports of several activations that say what is known.',
  'activation-move': 'Writes a report of an activation.',
  'activations-move': 'Writes reports of several activations.',
  'route-statuses': 'Lists the status of routes, which routers poll.',
  'routing-routes': 'Reads a routing table, for chat and router operations.',
  'routing-profiles': 'Reads a routing table, for chat and router operations.',
  'routing-route-generations': 'Looks for the routes of models that a routing table lacks.',
  'routing-backend-times': 'Reads a routing table, for chat and router operations.',
  'routing-prices-of-request': 'Prices a request that a router reports.',
  'authorize-requests': 'Admits requests of keys.',
  'authorize-requests-of-key': 'Admits requests of one key, whose row it waits for.',
  'authorize-look-at-key': 'Refuses requests of one key without waiting for its row.',
  'authorization-resolve': 'Resolves an authorization for a router or a chat.',
  'authorization-look': 'Says why an authorization cannot be resolved.',
  'authorization-look-renewed': 'Says why an authorization cannot be resolved.',
  'authorizations-admitted': 'Finds what was admitted under the same request ids.',
  'authorization-release-expired': 'Gives back what an expired authorization reserves, before it is renewed.',
  'router-samples-save': 'Writes samples of a router.',
  'grouped-samples-add': 'Writes metric samples.',
  'grouped-samples-stored': 'Follows a write of metric samples.',
  'metric-series-ids': 'Comes before a write of metric samples.',
  'metric-series-save': 'Comes before a write of metric samples.',
  'metric-series-renew': 'Comes with a write of metric samples, before later ones.',
  'metric-kinds-save': 'Comes with a write of metric samples.',
  'metric-pods-save': 'Comes with a write of metric samples.',
};

const OF_NO_ORGANISATION: Record<string, string> = {
  'verify-token': 'Finds the organisation of a request by the digest of its token.',
  'verify-inference-key': 'Finds the organisation of a request by the digest of its key.',
  'outbox-unnumbered': 'Names organisations to the sweep that numbers their events.',
  heartbeat: 'Writes the time of the primary, which belongs to no organisation.',
  readiness: 'Reads no table.',
  'sweeps-last-success': 'Reads the queue of sweeps, which belong to no organisation.',
  'sweep-rounds-waiting': 'Reads the queue of sweeps, which belong to no organisation.',
  'outbox-oldest-unnumbered': 'Returns an age over all organisations, for the operator of the service.',
  'partition-states': 'Reads the catalogue of PostgreSQL.',
  'settle-requests': 'Settles requests of several organisations at once, each row by the organisation it names.',
  'settle-requests-and-credit-starts': 'As `settle-requests`.',
  'authorizations-hold': 'Puts off the charge of requests in progress, each row by the organisation it names.',
  'profile-loads-notify': 'Reads no table.',
};

interface Unscoped {
  readonly file: string;
  /** Undefined unless it is a constant. */
  readonly name: string | undefined;
  readonly text: string;
}

function unscopedIn(file: string): Unscoped[] {
  const code = readFileSync(file, 'utf8');
  // Most files have none: to parse them takes seconds.
  if (!code.includes('unscoped')) return [];
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const constants = new Map<string, string>();
  const found: Unscoped[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer)
      constants.set(node.name.getText(), node.initializer.getText());
    if (ts.isCallExpression(node) && node.expression.getText() === 'unscoped') {
      const [name, text] = node.arguments;
      found.push({
        file,
        name: name && ts.isStringLiteral(name) ? name.text : undefined,
        text: text === undefined ? '' : withConstants(text.getText(), constants),
      });
    }
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** With the constants of its file in place of their names. */
const withConstants = (text: string, constants: ReadonlyMap<string, string>): string =>
  text.replace(/\b[A-Z_]{3,}\b/g, (name) => constants.get(name) ?? name);

describe('statements without row level security', () => {
  const files = globSync('src/**/*.ts', { exclude: ['**/*.spec.ts', '**/migrations/**'] }).sort();
  const found = files.flatMap(unscopedIn);
  const listed = { ...OF_ONE_ORGANISATION, ...OF_NO_ORGANISATION };

  it('have a constant name each', () => {
    expect(found.filter(({ name }) => name === undefined)).toEqual([]);
    expect(new Set(found.map(({ name }) => name)).size).toBe(found.length);
  });

  it('are exactly those on the list', () => {
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(listed).sort());
  });

  it('name their organisation unless their reason says otherwise', () => {
    const isScoped = ({ text }: Unscoped) => /\$org_id\b/.test(text);
    expect(
      found
        .filter(isScoped)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(OF_ONE_ORGANISATION).sort());
  });

  it('are made nowhere else: only `unscoped` makes what the pool takes', () => {
    const makers = files.filter((file) => /unscoped: true/.test(readFileSync(file, 'utf8')));
    expect(makers).toEqual(['src/1-platform/database/transactions/statement.ts']);
  });

  it('are the only use of the pool besides its waits and the look at the disk', () => {
    const users = files.filter((file) => /statements\.(pool|script)\b/.test(readFileSync(file, 'utf8')));
    expect(users).toEqual([
      'src/1-platform/database/connections/data-disk.ts',
      'src/1-platform/http/admission/admission.ts',
      'src/1-platform/http/service-metrics.ts',
    ]);
  });
});
