import { Problem, unavailable, invalid, conflict } from '../../common/answers/problem';

interface DatabaseFault {
  code?: string;
  message: string;
  constraint?: string;
  table?: string;
}

/** PostgreSQL's own error behind TypeORM's wrapper, or a socket's. */
function faultOf(error: unknown): DatabaseFault | undefined {
  if (!isFault(error)) return undefined;
  const { driverError } = error as { driverError?: unknown };
  return isFault(driverError) ? driverError : error;
}

// Recognised by its shape: Node creates errors of sockets, whose `Error` class differs if the code runs in a
// context.
const isFault = (error: unknown): error is DatabaseFault =>
  typeof error === 'object' && error !== null && typeof (error as { message?: unknown }).message === 'string';

export const sqlState = (error: unknown): string | undefined => faultOf(error)?.code;

/** Name of the violated constraint. */
export const brokenConstraint = (error: unknown): string | undefined =>
  sqlState(error)?.startsWith('23') ? faultOf(error)?.constraint : undefined;

/** The partitioned table that has no partition for a row. Its state is that of a check, which has a name. */
export function unpartitionedTable(error: unknown): string | undefined {
  const fault = faultOf(error);
  return fault?.code === '23514' && fault.constraint === undefined ? fault.table : undefined;
}

const IN_USE = 'ERR_CONNECTIONS_IN_USE';

/** Others use all connections of a pool, which says nothing about the server. */
export class ConnectionsInUse extends Error {
  readonly code = IN_USE;
}

export const isInUse = (error: unknown): boolean => sqlState(error) === IN_USE;

const SOCKET_FAULTS = new Set([
  IN_USE,
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
  // Of a Unix socket: the server is not there, or does not accept connections for now, or not from here.
  'ENOENT',
  'EAGAIN',
  'EACCES',
]);
/**
 * Messages of the driver and of the ORM for a lost connection. The ORM releases a connection that dies
 * between two statements, and refuses the next statement because it has none.
 */
const DRIVER_FAULTS = new RegExp(
  [
    'timeout exceeded when trying to connect',
    'timeout expired',
    'Connection terminated',
    'Query read timeout',
    'Client has encountered a connection error',
    'Cannot use a pool after calling end',
    'Client was closed',
    'connection is closed',
    'not queryable',
    'Received unexpected \\w+ message from backend',
    'query runner (was )?already released',
  ].join('|'),
  'i',
);
/**
 * SQLSTATEs of a lost or refused connection: no connection (08), no resources (53), the server stops or ends
 * the session (57P), the server is a standby (25006), an idle transaction timeout (25P03, 25P04), access
 * refused (28), no such database (3D000).
 */
const CONNECTION_STATES = /^(08|53|57P|25006|25P0[34]|28|3D000)/;

export function isConnectionFault(error: unknown): boolean {
  const fault = faultOf(error);
  if (!fault) return false;
  const { code = '' } = fault;
  return (
    SOCKET_FAULTS.has(code) || CONNECTION_STATES.test(code) || (code.length !== 5 && DRIVER_FAULTS.test(fault.message))
  );
}

/**
 * The database cannot be reached, too many wait for it, or it did not finish the statement in time. Where a
 * statement serves several requests, each of them by itself would take as long again. It is not so if the
 * statement waited too long for a lock: one of the requests may be the reason, and the others do not wait.
 */
export const isAway = (error: unknown): boolean =>
  error instanceof Problem || isConnectionFault(error) || isOutOfTime(error);

/** The database did not finish the statement in time. */
export const isOutOfTime = (error: unknown): boolean => sqlState(error) === '57014';

/** The server runs, and recovers from a crash or follows its primary. */
export const isStartingUp = (error: unknown): boolean => sqlState(error) === '57P03';

/**
 * SQLSTATEs of a server that was reached, and needs somebody who changes a setting. Too many connections
 * (53300) are none of them: a replica that stops closes its own.
 */
const NEEDS_SOMEBODY = /^(28|3D000|53(?!300))/;

/** No server answered, it has no free connection, or it is about to start or stop: it may answer soon. */
export const isUnreachable = (error: unknown): boolean =>
  isConnectionFault(error) && !NEEDS_SOMEBODY.test(sqlState(error) ?? '');

/** Waiting for a lock of others timed out. */
export const isLockBusy = (error: unknown): boolean => sqlState(error) === '55P03';

/** A fault that may disappear if all of the work is repeated. */
export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '');

/** The server takes no writes: it is a standby, or its default is read only. */
export const isReadOnly = (error: unknown): boolean => sqlState(error) === '25006';

/**
 * The meaning of a database error for the caller; undefined if it is a defect of the service. Names no table,
 * no statement and no value.
 */
export function databaseProblem(error: unknown): Problem | undefined {
  const code = sqlState(error) ?? '';
  if (isInUse(error))
    return unavailable('database_busy', 'All connections to the database are in use; try again.', error);
  if (isConnectionFault(error))
    return unavailable('database_unavailable', 'The database cannot be reached; try again.', error);
  if (['57014', '55P03'].includes(code) || isRetryable(error)) {
    return unavailable('database_busy', 'The database did not finish in time; try again.', error);
  }
  if (unpartitionedTable(error) !== undefined)
    return unavailable('database_busy', 'The database cannot store this now; try again.', error);
  if (code === '54001') return invalid([{ field: 'body', message: 'is nested too deeply' }], { cause: error });
  if (code === '54000')
    return invalid([{ field: 'request', message: 'holds a value that is too long to be stored' }], { cause: error });
  if (/^22/.test(code))
    return invalid([{ field: 'request', message: 'holds a value that cannot be stored' }], { cause: error });
  if (code === '23505') return conflict('already_exists', 'A row with the same key exists.');
  if (code === '23503') return conflict('reference_conflict', 'A row that this one names is gone.');
  return undefined;
}
