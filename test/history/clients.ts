import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { seeded } from '../support/random';
import { History } from './history';
import type { Subjects } from './subjects';
import type { Answered, Asked, Transport } from './transport';

export interface Session {
  readonly transport: Transport;
  /** An admin's. */
  readonly bearer: string;
  readonly subjects: Subjects;
  readonly seed: number;
  readonly clients: number;
  /** Of each client. */
  readonly calls: number;
  /** Only objects of this kind; by default all. */
  readonly only?: string | undefined;
}

type Output = object | string;
type Request = Omit<Asked, 'client' | 'bearer'> & { readonly bearer?: string };
type Read = (answer: Answered) => Output | undefined;

/** A call that a client makes: what it sends, and what it reads in the answer. */
interface Act {
  readonly object: string;
  readonly operation: string;
  readonly input: unknown;
  readonly request: Request;
  /** Undefined: the answer has another status than any that the model knows. */
  readonly output: Read;
}

const INFERENCE = '/v1/inference';
/** After this time, every replica knows of a revocation. */
const REVOKED_WITHIN_MS = 1_000;

const when =
  (statuses: Readonly<Record<number, (body: Answered['body']) => Output>>): Read =>
  ({ status, body }) =>
    statuses[status]?.(body);

/** Records what clients of one history ask and receive. */
export async function recordHistory(session: Session): Promise<History> {
  const history = new History();
  const clients = Array.from({ length: session.clients }, (_, client) => client);
  await Promise.all(clients.map((client) => act(session, client, history)));
  const known = history.calls.find(({ operation }) => operation === 'revocation known');
  if (!known) return history;
  // Later than that, nobody may be let in.
  await sleep(Math.max(known.returnedAt - performance.now() + 1, 0));
  await Promise.all(clients.map((client) => perform(session, client, history, admission(session.subjects.key, 1))));
  return history;
}

async function act(session: Session, client: number, history: History): Promise<void> {
  const { seed, calls } = session;
  const random = seeded(seed * 1_000 + client);
  const below = (bound: number): number => Math.floor(random() * bound);
  /** Of the newest request that this client has seen. */
  const known = { request: newId() };
  for (let call = 0; call < calls; call++) {
    const next = chosen(session, below, known);
    const answered = await perform(session, client, history, next);
    if (!next.object.startsWith('restart') || next.operation === 'report') continue;
    const { id } = (answered ?? {}) as { id?: string };
    known.request = id ?? known.request;
  }
}

async function perform(session: Session, client: number, history: History, act: Act): Promise<Output | undefined> {
  const { request, output: read, ...what } = act;
  const answered = await history.record({ ...what, client }, async () => {
    const answer = await session.transport({ bearer: session.bearer, client, ...request });
    // An answer that no model knows is never possible.
    return answer && (read(answer) ?? { unexpected: answer });
  });
  if (what.operation === 'revoke' && answered !== undefined) knownAfter(history, what.object, client);
  return answered;
}

/** Replicas may learn of it for a while. */
function knownAfter(history: History, object: string, client: number): void {
  const since = performance.now();
  history.calls.push({
    client,
    object,
    operation: 'revocation known',
    input: null,
    invokedAt: since,
    returnedAt: since + REVOKED_WITHIN_MS,
    output: {},
  });
}

function chosen(
  { subjects, only }: Session,
  below: (bound: number) => number,
  known: { readonly request: string },
): Act {
  const acts: Readonly<Record<string, () => Act>> = {
    intent: () => intent(subjects.intent, below),
    restart: () => restart(subjects.restart, below, known.request),
    activation: () => activation(subjects.activation, below),
    artifact: () => artifact(subjects.artifacts[below(subjects.artifacts.length)] ?? '', below),
    key: () => key(subjects.key, below),
  };
  const kinds = Object.keys(acts);
  const act = acts[only ?? kinds[below(kinds.length)] ?? ''];
  if (!act) throw new Error(`there are no objects of the kind ${only}`);
  return act();
}

function intent(profile: string, below: (bound: number) => number): Act {
  const object = `intent ${profile}`;
  const shown = (body: Answered['body']) => ({
    wanted: `${body.desired_state} ${body.desired_replicas}`,
    generation: body.generation as number,
  });
  if (below(3) === 0)
    return {
      object,
      operation: 'read',
      input: null,
      request: { method: 'GET', path: `${INFERENCE}/capacity-intents?profile_id=${profile}` },
      output: when({ 200: ([newest]) => (newest ? shown(newest) : { wanted: '', generation: 0 }) }),
    };
  const desired_replicas = below(4);
  const desired_state = desired_replicas === 0 ? 'Suspended' : 'Active';
  return {
    object,
    operation: 'set',
    input: `${desired_state} ${desired_replicas}`,
    request: {
      method: 'POST',
      path: `${INFERENCE}/profiles/${profile}/state`,
      body: { desired_state, desired_replicas },
    },
    output: when({ 202: shown }),
  };
}

function restart(profile: string, below: (bound: number) => number, request_id: string): Act {
  const object = `restart ${profile}`;
  const path = `${INFERENCE}/profiles/${profile}`;
  const shown = (body: Answered['body']) => ({ id: body.request_id as string, status: body.status as string });
  const which = below(4);
  if (which === 0)
    return {
      object,
      operation: 'read',
      input: null,
      request: { method: 'GET', path: `${path}/checkpoint` },
      output: when({ 200: shown, 404: () => ({ status: 'none' }) }),
    };
  if (which < 3)
    return {
      object,
      operation: 'open',
      input: null,
      request: { method: 'POST', path: `${path}/restart` },
      output: when({ 202: shown }),
    };
  const status = ['running', 'succeeded', 'failed'][below(3)] ?? 'running';
  return {
    object,
    operation: 'report',
    input: { id: request_id, status },
    request: { method: 'PATCH', path: `${path}/checkpoint`, body: { request_id, status } },
    output: when({ 200: shown, 404: () => ({ refused: true }), 409: () => ({ refused: true }) }),
  };
}

function activation(profile: string, below: (bound: number) => number): Act {
  const object = `activation ${profile}`;
  if (below(2) === 0)
    return {
      object,
      operation: 'read',
      input: null,
      request: { method: 'GET', path: `${INFERENCE}/activations?profile_id=${profile}` },
      output: when({ 200: ([shown]) => (shown?.message ?? '') as string }),
    };
  const message = newId();
  return {
    object,
    operation: 'report',
    input: message,
    request: {
      method: 'POST',
      path: `${INFERENCE}/activations/report`,
      body: { profile_id: profile, desired_state: 'Active', phase: 'Loading', ready: false, message },
    },
    output: when({ 204: () => ({}) }),
  };
}

function artifact(id: string, below: (bound: number) => number): Act {
  const object = `artifact ${id}`;
  const path = `${INFERENCE}/artifacts/${id}`;
  const shown = ({ status }: Answered['body']) => ({ state: status as string });
  const refused = () => ({ refused: true });
  const which = below(10);
  if (which < 4)
    return { object, operation: 'read', input: null, request: { method: 'GET', path }, output: when({ 200: shown }) };
  if (which === 4)
    return {
      object,
      operation: 'move',
      input: 'delete',
      request: { method: 'DELETE', path },
      output: when({ 200: shown, 409: refused }),
    };
  const status = ['ready', 'golden', 'quarantined', 'expired'][below(4)] ?? 'ready';
  return {
    object,
    operation: 'move',
    input: status,
    request: { method: 'PATCH', path, body: { status } },
    output: when({ 200: shown, 409: refused }),
  };
}

function key({ id, raw, model }: Subjects['key'], below: (bound: number) => number): Act {
  const object = `key ${id}`;
  const which = below(30);
  if (which === 0)
    return {
      object,
      operation: 'revoke',
      input: null,
      request: { method: 'DELETE', path: `${INFERENCE}/keys/${id}` },
      output: when({ 204: () => ({}), 404: () => ({}) }),
    };
  if (which < 8)
    return {
      object,
      operation: 'read',
      input: null,
      request: { method: 'GET', path: `${INFERENCE}/keys?limit=1000` },
      output: when({
        200: (keys: { key_id: string; reserved_usd: number }[]) => ({
          reserved: Math.round((keys.find((one) => one.key_id === id)?.reserved_usd ?? NaN) * 1_000),
        }),
      }),
    };
  return admission({ id, raw, model }, 1 + below(12));
}

function admission({ id, raw, model }: Subjects['key'], tokens: number): Act {
  const body = { request_id: newId(), logical_model: model, estimated_prompt_tokens: tokens };
  const answered = (status: number) => () => ({ status });
  return {
    object: `key ${id}`,
    operation: 'authorize',
    input: tokens,
    request: { bearer: raw, method: 'POST', path: `${INFERENCE}/router/authorize`, body },
    output: when({ 200: answered(200), 401: answered(401), 402: answered(402) }),
  };
}
