import { newId } from '../../src/1-platform/common/ids';
import type { OutboxEvent } from './checker';
import type { Answered, Asked, Transport } from './transport';

/** A service that is wrong on purpose: what it does to requests, or to events. */
export interface InjectedFault {
  readonly name: string;
  /** The kind of object in which it must be found. */
  readonly found: string;
  readonly requests?: (transport: Transport) => Transport;
  readonly events?: (events: OutboxEvent[]) => OutboxEvent[];
}

const isSet = ({ method, path }: Asked): boolean => method === 'POST' && path.endsWith('/state');
const isAuthorize = ({ path }: Asked): boolean => path.endsWith('/router/authorize');
const isRevoke = ({ method, path }: Asked): boolean => method === 'DELETE' && path.includes('/keys/');
const isDeleteOfArtifact = ({ method, path }: Asked): boolean => method === 'DELETE' && path.includes('/artifacts/');

/** Changes the answers to some requests, from the n-th on. */
const instead =
  (
    applies: (asked: Asked) => boolean,
    from: number,
    answer: (asked: Asked, transport: Transport) => Promise<Answered | undefined>,
  ) =>
  (transport: Transport): Transport => {
    let times = 0;
    return (asked) => {
      if (!applies(asked) || ++times < from) return transport(asked);
      return answer(asked, transport);
    };
  };

/** As the service would answer a new intent. */
function promised({ body }: Asked, generation: number): Answered {
  return { status: 202, body: { ...body, generation } };
}

function lostWrite(transport: Transport): Transport {
  let lost = false;
  let generation = 0;
  let wanted = '';
  return async (asked) => {
    const asks = JSON.stringify(asked.body);
    if (isSet(asked) && !lost && generation > 0 && asks !== wanted) {
      lost = true;
      return promised(asked, generation + 1);
    }
    const answer = await transport(asked);
    if (isSet(asked)) [generation, wanted] = [Math.max(generation, answer?.body.generation ?? 0), asks];
    return answer;
  };
}

/** The first answer to each read, for ever. */
function fromTheFirstSnapshot(transport: Transport): Transport {
  const first = new Map<string, Answered>();
  return async (asked) => {
    if (asked.method !== 'GET' || !asked.path.includes('/activations?')) return transport(asked);
    const answer = first.get(asked.path) ?? (await transport(asked));
    if (answer) first.set(asked.path, answer);
    return answer;
  };
}

/** Whoever revokes the key is answered, and the key goes on. */
function resurrected(transport: Transport): Transport {
  return (asked) => (isRevoke(asked) ? Promise.resolve({ status: 204, body: undefined }) : transport(asked));
}

/** A deleted artifact comes back. */
function undeleted(transport: Transport): Transport {
  const deleted = new Set<string>();
  return async (asked) => {
    const answer = await transport(asked);
    if (isDeleteOfArtifact(asked) && answer?.status === 200) deleted.add(asked.path);
    const comesBack = asked.method === 'GET' && deleted.has(asked.path) && answer?.status === 200;
    return comesBack ? { status: 200, body: { ...answer.body, status: 'ready' } } : answer;
  };
}

const requested = ({ event_type }: OutboxEvent): boolean => event_type === 'capacity_intent.requested';

/** The events change places, and their numbers stay in order. */
function reordered(events: OutboxEvent[]): OutboxEvent[] {
  const [first, second] = events.filter(requested);
  if (!first || !second) return events;
  const swapped = new Map([
    [first.id, { ...second, id: first.id }],
    [second.id, { ...first, id: second.id }],
  ]);
  return events.map((event) => swapped.get(event.id) ?? event);
}

/** One is left out, and the numbers stay dense. */
function skipped(events: OutboxEvent[]): OutboxEvent[] {
  const last = events.findLast(requested);
  const from = events[0]?.id ?? 1;
  return events.filter((event) => event !== last).map((event, place) => ({ ...event, id: from + place }));
}

export const INJECTED_FAULTS: readonly InjectedFault[] = [
  { name: 'loses an acknowledged write', found: 'intent', requests: lostWrite },
  {
    name: 'applies a request twice',
    found: 'key',
    requests: instead(isAuthorize, 2, async (asked, transport) => {
      await transport({ ...asked, body: { ...asked.body, request_id: newId() } });
      return transport(asked);
    }),
  },
  { name: 'answers from an old snapshot', found: 'activation', requests: fromTheFirstSnapshot },
  { name: 'delivers events in another order', found: 'outbox', events: reordered },
  { name: 'delivers one event less', found: 'outbox', events: skipped },
  { name: 'lets a revoked key in', found: 'key', requests: resurrected },
  {
    name: 'admits beyond the budget',
    found: 'key',
    requests: instead(isAuthorize, 1, async (asked, transport) => {
      const answer = await transport(asked);
      return answer?.status === 402 ? { status: 200, body: {} } : answer;
    }),
  },
  { name: 'shows a deleted artifact as ready', found: 'artifact', requests: undeleted },
  {
    name: 'has two open restarts',
    found: 'restart',
    requests: instead(
      ({ method, path }) => method === 'POST' && path.endsWith('/restart'),
      2,
      async (asked, transport) => {
        const answer = await transport(asked);
        return answer?.status === 202 ? { ...answer, body: { ...answer.body, request_id: newId() } } : answer;
      },
    ),
  },
  {
    name: 'says that a change failed which took effect',
    found: 'artifact',
    requests: instead(
      ({ method, path }) => method === 'PATCH' && path.includes('/artifacts/'),
      1,
      async (asked, transport) => {
        const answer = await transport(asked);
        return answer?.status === 200 ? { status: 409, body: { code: 'artifact_deleted' } } : answer;
      },
    ),
  },
  {
    name: 'answers a report on a request that has ended as if it had not',
    found: 'restart',
    requests: instead(
      ({ method, path }) => method === 'PATCH' && path.endsWith('/checkpoint'),
      1,
      async (asked, transport) => {
        const answer = await transport(asked);
        return answer?.status === 409 ? { status: 200, body: asked.body } : answer;
      },
    ),
  },
  {
    name: 'delivers an event twice under two numbers',
    found: 'outbox',
    events: (events) => {
      const last = events.findLast(requested);
      return last ? [...events, { ...last, id: (events.at(-1)?.id ?? 0) + 1 }] : events;
    },
  },
];
