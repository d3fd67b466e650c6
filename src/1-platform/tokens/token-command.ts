/**
 * Creates an access token with the database's own credentials: `npm run token -- --role admin --name rescue`.
 * It is for operators who lost the first token. Exit code 0 if the token was created, 1 if that failed, 2 for
 * wrong arguments.
 */
import { hostname, userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { DataSource } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail';
import { ROLES, SCOPES, type Role, type Scope } from '../endpoints/access';
import { SystemClock } from '../common/clock';
import { isUuid, newId } from '../common/ids';
import { createLogger, createLoggerFor } from '../common/logger';
import { directUrl, EnvironmentError } from '../config/environment';
import { loadEnvironment } from '../config/load-environment';
import { dataSourceOptions } from '../database/connections/data-source-options';
import { EmbeddedServerError } from '../database/embedded/embedded-account';
import { withEmbeddedDatabase } from '../database/embedded/embedded-visit';
import { isMigrated } from '../database/migrate';
import { UnitOfWork } from '../database/transactions/unit-of-work';
import { Organisation } from '../organisations/organisation.entity';
import { issueToken, type IssuedToken } from './new-token';

const USAGE = `npm run token -- --role <role> --name <name> [--scope <scope>] [--organisation <name or id>]

Writes an access token into the database of DATABASE_URL, or of DATA_DIR where that is not set, whether or not the
service is running. Standard output gets the token, once. The audit trail of the organisation gets an entry.

  --role          ${ROLES.join(', ')}
  --name          what the token is listed under, up to 200 characters
  --scope         ${SCOPES.join(' or ')}: what an admin covers. Without it an admin of the first organisation
                  covers the platform, as the first token does
  --organisation  whom the token is for; without it the organisation that the first start made
  --help          this text`;

const MAX_NAME = 200;
const STATEMENT_TIMEOUT_MS = 10_000;
const POOL_SIZE = 1;

const text = { type: 'string' } as const;
const OPTIONS = {
  role: text,
  name: text,
  scope: text,
  organisation: text,
  help: { type: 'boolean', short: 'h' },
} as const;

/** Reported to the person in one line. */
class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message);
  }
}

interface Wish {
  readonly role: Role;
  readonly name: string;
  readonly scope: Scope | undefined;
  readonly organisation: string | undefined;
}

/** @returns undefined if help was requested */
function wishOf(args: string[]): Wish | undefined {
  const { help, role, name, scope, organisation } = parsed(args);
  if (help) return undefined;
  if (role === undefined || !isOneOf(ROLES, role)) throw new CommandError(`--role must be ${ROLES.join(', ')}`, 2);
  if (!name || name.length > MAX_NAME) throw new CommandError(`--name must have 1 to ${MAX_NAME} characters`, 2);
  if (scope !== undefined && !isOneOf(SCOPES, scope))
    throw new CommandError(`--scope must be ${SCOPES.join(' or ')}`, 2);
  if (scope === 'platform' && role !== 'admin')
    throw new CommandError('--scope platform is for the role admin only', 2);
  if (organisation === '') throw new CommandError('--organisation must not be empty', 2);
  return { role, name, scope, organisation };
}

const isOneOf = <T extends string>(values: readonly T[], value: string): value is T =>
  (values as readonly string[]).includes(value);

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new CommandError((error as Error).message, 2);
  }
}

async function write(databaseUrl: string, wish: Wish): Promise<IssuedToken & { organisation: string }> {
  const dataSource = new DataSource(
    dataSourceOptions({ databaseUrl, poolSize: POOL_SIZE, statementTimeoutMs: STATEMENT_TIMEOUT_MS }),
  );
  await dataSource.initialize();
  try {
    if (!(await isMigrated(dataSource)))
      throw new CommandError('the database is empty or of an older release: start this release of the service once');
    const limits = { databasePoolSize: POOL_SIZE, databaseStatementTimeoutMs: STATEMENT_TIMEOUT_MS };
    const unitOfWork = new UnitOfWork(dataSource, limits, createLogger('error'));
    const { organisation, isFirst } = await organisationOf(unitOfWork, wish.organisation);
    const { role, name } = wish;
    const scope = wish.scope ?? (role === 'admin' && isFirst ? 'platform' : 'organisation');
    const clock = new SystemClock();
    const issued = await new AuditTrail(unitOfWork).change(callerAt(organisation.id), (tx, record) =>
      issueToken(tx, record, { orgId: organisation.id, name, role, scope, createdAt: clock.now(), expiresAt: null }),
    );
    return { ...issued, organisation: organisation.name };
  } finally {
    await dataSource.destroy();
  }
}

/** The actor in the audit trail. */
const callerAt = (orgId: string) => ({
  orgId,
  actorId: `command line: ${accountName()}@${hostname()}`,
  role: 'admin' as const,
  scope: 'platform' as const,
  operation: 'create_token',
  requestId: newId(),
});

/** Accounts of containers often have a number only. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

async function organisationOf(
  unitOfWork: UnitOfWork,
  named: string | undefined,
): Promise<{ organisation: Organisation; isFirst: boolean }> {
  return unitOfWork.system('the person at the command line owns the database', async (tx) => {
    const [first] = await tx.manager.find(Organisation, { order: { createdAt: 'ASC', id: 'ASC' }, take: 1 });
    if (!first)
      throw new CommandError('the database has no organisation: start the service, which makes the first token');
    const organisation =
      named === undefined
        ? first
        : ((isUuid(named) ? await tx.manager.findOneBy(Organisation, { id: named }) : null) ??
          (await tx.manager.findOneBy(Organisation, { name: named })));
    if (!organisation) throw new CommandError(`there is no organisation ${named}`);
    return { organisation, isFirst: organisation.id === first.id };
  });
}

async function run(wish: Wish): Promise<void> {
  const environment = loadEnvironment();
  const work = (url: string) => write(url, wish);
  const { token, rawToken, organisation } = await (environment.databaseUrl === undefined
    ? withEmbeddedDatabase(environment.dataDir, await createLoggerFor(environment), work)
    : work(directUrl(environment)));
  process.stderr.write(
    `Token ${token.id}: role ${token.role}, scope ${token.scope}, organisation ${organisation}. It is shown this once.\n`,
  );
  process.stdout.write(`${rawToken}\n`);
}

async function main(): Promise<number> {
  // A database that this command started is stopped before the process ends, even by an interrupt.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);
  try {
    const wish = wishOf(process.argv.slice(2));
    if (wish) await run(wish);
    else process.stdout.write(`${USAGE}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`);
    if (!(error instanceof CommandError) || error.exitCode === 1) return 1;
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
}

/** One line. A connection error has a code and often no message. */
function reasonOf(error: unknown): string {
  const expected = [CommandError, EnvironmentError, EmbeddedServerError].some((kind) => error instanceof kind);
  const { message, code, stack } = error as NodeJS.ErrnoException;
  if (expected) return message.replaceAll('\n', ' ');
  return code === undefined ? (stack ?? message) : `the database cannot be used: ${message || code}`;
}

void main().then((code) => (process.exitCode = code));
