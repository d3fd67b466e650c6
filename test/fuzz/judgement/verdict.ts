import { deviation } from '../../support/description';
import type { Identity } from '../target/identities';
import type { Exchange } from '../target/exchange';

/**
 * Replies with 5xx that the description promises for states in which the fuzzer may bring a model: no worker
 * of it is ready, or all of its targets are disabled. Storage, marketplace and database are always available,
 * so nothing else is excused.
 */
const NO_WORKER = ['503 model_not_ready', '503 model_unavailable'];
/** An activation may report the endpoint of the example as ready: its name is allowed, but unknown. */
const OF_A_WORKER = [...NO_WORKER, '503 worker_failed'];
const PROMISED: Readonly<Record<string, readonly string[]>> = {
  create_chat_completion: OF_A_WORKER,
  create_completion: OF_A_WORKER,
  create_embedding: OF_A_WORKER,
  create_response: OF_A_WORKER,
  resolve_request: NO_WORKER,
};

/** The code of a problem; empty if a reply is none. */
export const codeOf = ({ text, headers }: Exchange): string => {
  if (!String(headers['content-type']).includes('json')) return '';
  try {
    return (JSON.parse(text) as { code?: string }).code ?? '';
  } catch {
    return '';
  }
};

/** What is wrong with a reply; undefined if nothing is. */
export function fault(exchange: Exchange, identity: Identity): string | undefined {
  const { sent, status, headers, text } = exchange;
  const { operation } = sent;
  if (status === 0) return `no reply: ${text}`;
  if (status >= 500 && !(PROMISED[operation.id] ?? []).includes(`${status} ${codeOf(exchange)}`))
    return `${status} ${codeOf(exchange)}`;
  if (status < 400 && !isAllowed(exchange, identity)) return `${status} for the identity ${identity.name}`;
  const described = isServed(exchange)
    ? deviation(operation, status, String(headers['content-type'] ?? ''), text)
    : undefined;
  return described === undefined ? undefined : `${status} ${described}`;
}

/** A path whose parameters are gone may be another operation's, or nobody's. */
function isServed({ sent: { operation, target } }: Exchange): boolean {
  const pattern = operation.path.replaceAll(/\{path\}/g, '.+').replaceAll(/\{[^}]+\}/g, '[^/]+');
  const pathname = (target.split('?')[0] ?? '').replaceAll(/%2e/gi, '.');
  return (
    new RegExp(`^${pattern}$`).test(pathname) && !pathname.split('/').some((part) => part === '.' || part === '..')
  );
}

function isAllowed({ sent: { operation } }: Exchange, { role, scope }: Identity): boolean {
  const { security = [] } = operation;
  const open = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
  if (open) return true;
  if (role === undefined || !operation.roles.includes(role)) return false;
  return operation.scope === undefined || operation.scope === scope;
}

/** Faults with one signature have one cause, as far as can be seen from outside. */
export const signatureOf = ({ sent }: Exchange, what: string): string =>
  `${sent.operation.id}: ${what.replaceAll(/\d{4,}|[0-9a-f-]{36}/g, '#').slice(0, 160)}`;
