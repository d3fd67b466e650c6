/** Every variable that the service reads: read, validated and frozen once, before anything else starts. */
import { join } from 'node:path';
import { allowedEndpoint } from './allowed-endpoint';

export interface Environment {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** Undefined: the service runs its own PostgreSQL in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /**
   * A direct connection to the same database, for whatever needs a session. Undefined: `databaseUrl` is one.
   * Otherwise that is a pooler, which lends a connection for one transaction.
   */
  readonly databaseListenUrl: string | undefined;
  /** A streaming replica of the same database, for reports. Undefined: the primary answers everything. */
  readonly databaseReadUrl: string | undefined;
  /** A replica that is further behind is not read. */
  readonly databaseReadMaxLagMs: number;
  readonly databasePoolSize: number;
  readonly databaseStatementTimeoutMs: number;
  readonly bootstrapToken: string | undefined;
  readonly logLevel: string;
  /** Lines for people instead of JSON. */
  readonly logPretty: boolean;
  readonly checkpointTimeoutSeconds: number;
  /** 0: the audit trail is kept for ever. */
  readonly auditRetentionDays: number;
  /** 0: the ledger of inference keys is kept for ever. */
  readonly ledgerRetentionDays: number;
  readonly slurmJobRetentionDays: number;
  /** Attempts, actions, checkpoints and restores. */
  readonly operationRetentionDays: number;
  /** How long the bytes of a checkpoint stay that the service has forgotten. Its note is kept for longer. */
  readonly forgottenGraceDays: number;
  readonly startRetentionDays: number;
  /** Deleted pods, jobs and nodes. */
  readonly podRetentionDays: number;
  /** Observations, experiments, requests for checkpoints, and the like. */
  readonly historyRetentionDays: number;
  readonly lifecycleRetentionDays: number;
  readonly usageRetentionDays: number;
  readonly metricsRetentionDays: number;
  /** Per organisation. */
  readonly metricsMaxSeries: number;
  /** For the bodies of all requests in progress. */
  readonly bodyMemoryBytes: number;
  readonly drainDelaySeconds: number;
  readonly drainTimeoutSeconds: number;
  /**
   * Endpoints that workers may have, as entries of `allowedEndpoint`. Undefined: private and public
   * addresses.
   */
  readonly workerEndpointAllow: readonly string[] | undefined;
  /** A worker that sends nothing of an answer for longer is given up. */
  readonly workerAnswerTimeoutSeconds: number;
  /** Origins whose pages may call the API from a browser; `*` stands for all. Empty: none. */
  readonly corsOrigins: readonly string[];
  /** Undefined: no instance can be requested. */
  readonly marketplace: MarketplaceSettings | undefined;
  /** Undefined: only access tokens of this service are accepted. */
  readonly jwt: JwtSettings | undefined;
  /** The address of this service for its clients. Undefined: the host that the request names. */
  readonly publicUrl: string | undefined;
  /** Undefined: objects are files in `objectStorageDir`, which this service serves itself. */
  readonly objectStorage: ObjectStorageSettings | undefined;
  readonly objectStorageDir: string;
  readonly objectStorageTimeoutMs: number;
  /** Lifetime of a signed URL. */
  readonly objectUrlSeconds: number;
  readonly objectMaxBytes: number;
  /** Whether plugins can be read without a bearer. */
  readonly pluginsPublic: boolean;
}

/** A bucket of an S3-compatible server. */
export interface ObjectStorageSettings {
  readonly url: string;
  /** The server's address for clients, if it differs from the service's. */
  readonly publicUrl: string;
  readonly bucket: string;
  readonly region: string;
  /** The bucket is the first part of the path, not of the host. */
  readonly pathStyle: boolean;
  /** Undefined: found as by AWS' own tools (variables, profiles, roles). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

export interface MarketplaceSettings {
  /** The prefix of its API's paths, without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** For one call, from connecting to the last byte of the answer. */
  readonly timeoutMs: number;
}

export interface JwtSettings {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  readonly organisationClaim: string;
  readonly roleClaim: string;
  /** Undefined: people paste an access token into the console. */
  readonly signIn: SignInSettings | undefined;
}

/** How people get a JWT for the console: the authorization code flow with PKCE, as a public client. */
export interface SignInSettings {
  readonly clientId: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly scope: string;
}

export class EnvironmentError extends Error {}

/** Reports go back 90 days, and sums that are computed again 92: what they read is kept for longer. */
const REPORTED_DAYS = 100;

type Source = Readonly<Record<string, string | undefined>>;

/** @throws EnvironmentError naming the first invalid variable, in one line */
export function readEnvironment(source: Source): Environment {
  return Object.freeze({
    port: integer(source, 'PORT', 3000, 0, 65_535),
    host: text(source, 'HOST') ?? '127.0.0.1',
    dataDir: text(source, 'DATA_DIR') ?? '.data',
    databaseUrl: url(source, 'DATABASE_URL', POSTGRES),
    databaseListenUrl: listenUrl(source),
    databaseReadUrl: readUrl(source),
    databaseReadMaxLagMs: integer(source, 'DATABASE_READ_MAX_LAG_MS', 5_000, 1_000, 3_600_000),
    databasePoolSize: integer(source, 'DATABASE_POOL_SIZE', 10, 2, 500),
    databaseStatementTimeoutMs: integer(source, 'DATABASE_STATEMENT_TIMEOUT_MS', 15_000, 100, 600_000),
    bootstrapToken: bearer(source, 'BOOTSTRAP_TOKEN'),
    logLevel: oneOf(source, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    logPretty: oneOf(source, 'LOG_PRETTY', 'false', ['true', 'false']) === 'true',
    checkpointTimeoutSeconds: integer(source, 'CHECKPOINT_TIMEOUT_SECONDS', 900, 1, 7 * 86_400),
    auditRetentionDays: integer(source, 'AUDIT_RETENTION_DAYS', 0, 0, 36_500),
    ledgerRetentionDays: integer(source, 'LEDGER_RETENTION_DAYS', 400, 0, 36_500),
    slurmJobRetentionDays: integer(source, 'SLURM_JOB_RETENTION_DAYS', 90, 1, 3_650),
    operationRetentionDays: integer(source, 'OPERATION_RETENTION_DAYS', 400, REPORTED_DAYS, 36_500),
    forgottenGraceDays: integer(source, 'FORGOTTEN_GRACE_DAYS', 7, 1, REPORTED_DAYS - 1),
    startRetentionDays: integer(source, 'START_RETENTION_DAYS', 400, REPORTED_DAYS, 36_500),
    podRetentionDays: integer(source, 'POD_RETENTION_DAYS', 90, 1, 36_500),
    historyRetentionDays: integer(source, 'HISTORY_RETENTION_DAYS', 400, REPORTED_DAYS, 36_500),
    lifecycleRetentionDays: integer(source, 'LIFECYCLE_RETENTION_DAYS', 90, 1, 3_650),
    usageRetentionDays: integer(source, 'USAGE_RETENTION_DAYS', 90, 1, 3_650),
    metricsRetentionDays: integer(source, 'METRICS_RETENTION_DAYS', 30, 1, 3_650),
    metricsMaxSeries: integer(source, 'METRICS_MAX_SERIES', 1_000_000, 1, 100_000_000),
    bodyMemoryBytes: integer(source, 'BODY_MEMORY_BYTES', 256 * 1024 ** 2, 1024 ** 2, 64 * 1024 ** 3),
    drainDelaySeconds: integer(source, 'DRAIN_DELAY_SECONDS', 0, 0, 300),
    drainTimeoutSeconds: integer(source, 'DRAIN_TIMEOUT_SECONDS', 25, 1, 600),
    workerEndpointAllow: endpoints(source, 'WORKER_ENDPOINT_ALLOW'),
    workerAnswerTimeoutSeconds: integer(source, 'WORKER_ANSWER_TIMEOUT_SECONDS', 590, 1, 86_400),
    corsOrigins: origins(source, 'CORS_ORIGINS'),
    marketplace: marketplace(source),
    jwt: jwt(source),
    publicUrl: url(source, 'PUBLIC_URL', HTTP),
    objectStorage: objectStorage(source),
    objectStorageDir: text(source, 'OBJECT_STORAGE_DIR') ?? join(text(source, 'DATA_DIR') ?? '.data', 'objects'),
    objectStorageTimeoutMs: integer(source, 'OBJECT_STORAGE_TIMEOUT_MS', 5_000, 100, 60_000),
    objectUrlSeconds: integer(source, 'OBJECT_URL_SECONDS', 900, 1, 7 * 86_400),
    objectMaxBytes: integer(source, 'OBJECT_MAX_BYTES', 1024 ** 3, 1, 5 * 1024 ** 3),
    pluginsPublic: oneOf(source, 'PLUGINS_PUBLIC', 'true', ['true', 'false']) === 'true',
  });
}

/** The URL of connections that keep their session. Empty if the service has no database yet. */
export const directUrl = ({
  databaseUrl = '',
  databaseListenUrl = databaseUrl,
}: Pick<Environment, 'databaseUrl' | 'databaseListenUrl'>): string => databaseListenUrl;

function listenUrl(source: Source): string | undefined {
  const direct = url(source, 'DATABASE_LISTEN_URL', POSTGRES);
  if (direct !== undefined) required(source, 'DATABASE_URL', 'DATABASE_LISTEN_URL');
  return direct;
}

function readUrl(source: Source): string | undefined {
  const replica = url(source, 'DATABASE_READ_URL', POSTGRES);
  if (replica !== undefined) required(source, 'DATABASE_URL', 'DATABASE_READ_URL');
  return replica;
}

function marketplace(source: Source): MarketplaceSettings | undefined {
  const address = url(source, 'MARKETPLACE_API_URL', ['http:', 'https:']) ?? 'https://api.shadeform.ai/v1';
  const key = text(source, 'MARKETPLACE_API_KEY');
  const timeoutMs = integer(source, 'MARKETPLACE_TIMEOUT_MS', 15_000, 100, 120_000);
  const { username, password, search, hash } = new URL(address);
  // Addresses are logged, so the key has its own variable.
  if (username || password || search || hash)
    throw new EnvironmentError('MARKETPLACE_API_URL must have no credentials, query or fragment');
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,512}$/.test(key))
    throw new EnvironmentError('MARKETPLACE_API_KEY must have 1 to 512 visible ASCII characters');
  return Object.freeze({ url: address.replace(/(?<!\/)\/+$/, ''), key, timeoutMs });
}

function jwt(source: Source): JwtSettings | undefined {
  const jwksUrl = url(source, 'AUTH_JWKS_URL', HTTP);
  if (jwksUrl === undefined) return undefined;
  return Object.freeze({
    jwksUrl,
    issuer: required(source, 'AUTH_ISSUER', 'AUTH_JWKS_URL'),
    audience: required(source, 'AUTH_AUDIENCE', 'AUTH_JWKS_URL'),
    organisationClaim: text(source, 'AUTH_ORGANISATION_CLAIM') ?? 'organisation',
    roleClaim: text(source, 'AUTH_ROLE_CLAIM') ?? 'role',
    signIn: signIn(source),
  });
}

function signIn(source: Source): SignInSettings | undefined {
  const clientId = text(source, 'AUTH_CLIENT_ID');
  if (clientId === undefined) return undefined;
  const needed = (name: string): string => {
    required(source, name, 'AUTH_CLIENT_ID');
    return url(source, name, HTTP) ?? '';
  };
  return Object.freeze({
    clientId,
    authorizationUrl: needed('AUTH_AUTHORIZATION_URL'),
    tokenUrl: needed('AUTH_TOKEN_URL'),
    scope: text(source, 'AUTH_SCOPE') ?? 'openid',
  });
}

function objectStorage(source: Source): ObjectStorageSettings | undefined {
  const endpoint = url(source, 'OBJECT_STORAGE_URL', HTTP);
  if (endpoint === undefined) return undefined;
  const accessKeyId = text(source, 'OBJECT_STORAGE_ACCESS_KEY_ID');
  const secretAccessKey = text(source, 'OBJECT_STORAGE_SECRET_ACCESS_KEY');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new EnvironmentError(
      'OBJECT_STORAGE_ACCESS_KEY_ID and OBJECT_STORAGE_SECRET_ACCESS_KEY must be set together',
    );
  const credentials = accessKeyId !== undefined && secretAccessKey !== undefined && { accessKeyId, secretAccessKey };
  return Object.freeze({
    url: endpoint,
    publicUrl: url(source, 'OBJECT_STORAGE_PUBLIC_URL', HTTP) ?? endpoint,
    bucket: required(source, 'OBJECT_STORAGE_BUCKET', 'OBJECT_STORAGE_URL'),
    region: text(source, 'OBJECT_STORAGE_REGION') ?? 'us-east-1',
    pathStyle: oneOf(source, 'OBJECT_STORAGE_PATH_STYLE', 'true', ['true', 'false']) === 'true',
    credentials: credentials ? Object.freeze(credentials) : undefined,
  });
}

const HTTP = ['http:', 'https:'];
const POSTGRES = ['postgres:', 'postgresql:'];

/** An empty variable counts as missing. */
const text = (source: Source, name: string): string | undefined => source[name]?.trim() || undefined;

function required(source: Source, name: string, because: string): string {
  const value = text(source, name);
  if (value === undefined) throw new EnvironmentError(`${name} must be set when ${because} is`);
  return value;
}

function integer(source: Source, name: string, fallback: number, min: number, max: number): number {
  const value = text(source, name);
  if (value === undefined) return fallback;
  const number = /^\d{1,12}$/.test(value) ? Number(value) : NaN;
  if (!(number >= min && number <= max)) throw new EnvironmentError(`${name} must be an integer from ${min} to ${max}`);
  return number;
}

function oneOf(source: Source, name: string, fallback: string, values: readonly string[]): string {
  const value = text(source, name) ?? fallback;
  if (!values.includes(value)) throw new EnvironmentError(`${name} must be one of ${values.join(', ')}`);
  return value;
}

// Neither this message nor the next one repeats the value, which may hold a password.
function url(source: Source, name: string, protocols: readonly string[]): string | undefined {
  const value = text(source, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new EnvironmentError(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }
  return value;
}

/** Entries of an allow-list. All are checked at every connection to a new host. */
const MAX_ALLOWED_ENDPOINTS = 1_000;

function endpoints(source: Source, name: string): readonly string[] | undefined {
  const entries = text(source, name)?.split(',', MAX_ALLOWED_ENDPOINTS + 1);
  if (entries === undefined) return undefined;
  if (entries.length > MAX_ALLOWED_ENDPOINTS)
    throw new EnvironmentError(`${name} must have at most ${MAX_ALLOWED_ENDPOINTS} entries`);
  const trimmed = entries.map((entry) => entry.trim());
  // Ignoring an invalid entry would exclude a worker or, if it is the only one, allow all of them.
  const wrong = trimmed.findIndex((entry) => allowedEndpoint(entry) === undefined);
  if (wrong !== -1)
    throw new EnvironmentError(
      `${name}: entry ${wrong + 1} must be a CIDR, an address or a host, the latter two with or without a port`,
    );
  return Object.freeze(trimmed);
}

function origins(source: Source, name: string): readonly string[] {
  const entries =
    text(source, name)
      ?.split(',')
      .map((entry) => entry.trim()) ?? [];
  for (const entry of entries) {
    // As browsers send it: lower case, without a path, a trailing slash or a default port.
    const isOrigin = entry === '*' || (URL.canParse(entry) && new URL(entry).origin === entry && entry !== 'null');
    if (!isOrigin)
      throw new EnvironmentError(`${name} must be * or origins such as https://console.example, without a path`);
  }
  return Object.freeze(entries);
}

function bearer(source: Source, name: string): string | undefined {
  const value = text(source, name);
  if (value !== undefined && !/^[A-Za-z0-9._~+/=-]{8,512}$/.test(value)) {
    throw new EnvironmentError(`${name} must have 8 to 512 characters of A-Z a-z 0-9 . _ ~ + / = -`);
  }
  return value;
}
