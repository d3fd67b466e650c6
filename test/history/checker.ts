import { deliveryFaults, versionKey, type Delivery } from './deliveries';
import type { Call, History } from './history';
import { ACTIVATION } from './models/activation';
import { ARTIFACT } from './models/artifact';
import { INTENT, type Intent } from './models/intent';
import { keyWith } from './models/key';
import { RESTART, type RestartAnswer } from './models/restart';
import { check, show, type Model } from './search';
import { BUDGET } from './subjects';

/** Something that a correct service never does. */
export interface Finding {
  /** The kind of object: `intent`, `restart`, `activation`, `artifact`, `key` or `outbox`. */
  readonly kind: string;
  readonly what: string;
}

// Each call site knows its own state.
const MODELS: Readonly<Record<string, Model<never>>> = {
  intent: INTENT as Model<never>,
  restart: RESTART as Model<never>,
  activation: ACTIVATION as Model<never>,
  artifact: ARTIFACT as Model<never>,
  key: keyWith(BUDGET) as Model<never>,
};
const SHOWN_CALLS = 12;

/** An event of the outbox, of one of the subjects. */
export interface OutboxEvent {
  readonly id: number;
  readonly event_type: string;
  readonly aggregate_id: string;
  readonly payload: { readonly profile_id?: string; readonly generation?: number };
}

/** Objects whose answers fit no order of their calls. */
export function findings(history: History): Finding[] {
  return [...history.byObject()].flatMap(([object, calls]) => {
    const kind = object.split(' ')[0] ?? '';
    const model = MODELS[kind];
    if (!model) throw new Error(`there is no model of ${object}`);
    const { linearizable, explained, left } = check(calls, model);
    if (linearizable) return [];
    const lines = [...explained.slice(-SHOWN_CALLS), ...left.slice(0, SHOWN_CALLS)].map(show);
    return [{ kind, what: `${object} fits no order. After ${explained.length} calls:\n${lines.join('\n')}` }];
  });
}

/** What was promised to somebody must be an event, once and in order. */
export function outboxFindings(calls: readonly Call[], events: readonly OutboxEvent[]): Finding[] {
  const faults = gaps(events);
  const intents = deliveriesOf(events, 'capacity_intent.requested', ({ payload: { profile_id, generation } }) => ({
    aggregate: profile_id ?? '',
    version: generation ?? 0,
  }));
  faults.push(...deliveryFaults(intents, acknowledgedIntents(calls)));
  // Each request is created once.
  const requests = deliveriesOf(events, 'checkpoint_request.created', ({ aggregate_id: aggregate }) => ({
    aggregate,
    version: 1,
  }));
  faults.push(...deliveryFaults(requests, acknowledgedRequests(calls)));
  return faults.map((what) => ({ kind: 'outbox', what }));
}

function gaps(events: readonly OutboxEvent[]): string[] {
  return events.flatMap(({ id }, place) => {
    const before = events[place - 1]?.id ?? id - 1;
    return id === before + 1 ? [] : [`event ${id} came behind ${before}`];
  });
}

/** Numbered among themselves: the numbers of all events are checked apart. */
const deliveriesOf = (
  events: readonly OutboxEvent[],
  type: string,
  of: (event: OutboxEvent) => Omit<Delivery, 'id'>,
): Delivery[] =>
  events.filter(({ event_type }) => event_type === type).map((event, place) => ({ id: place + 1, ...of(event) }));

function* acknowledgedIntents(calls: readonly Call[]): Generator<string> {
  for (const { object, operation, output } of calls) {
    const [kind, profile = ''] = object.split(' ');
    const { generation } = (output ?? {}) as Partial<Intent>;
    if (kind === 'intent' && operation === 'set' && generation !== undefined) yield versionKey(profile, generation);
  }
}

function* acknowledgedRequests(calls: readonly Call[]): Generator<string> {
  for (const { operation, output } of calls) {
    const { id } = (output ?? {}) as RestartAnswer;
    if (operation === 'open' && id !== undefined) yield versionKey(id, 1);
  }
}
