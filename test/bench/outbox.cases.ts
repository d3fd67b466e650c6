import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { bind } from '../../src/1-platform/database/transactions/statement';
import { APPEND } from '../../src/1-platform/outbox/outbox.queries';
import type { BenchCase } from './bench';
import type { Workbench } from './workbench';

const CONSUMERS = 4;
const EVENTS_A_SECOND = 500;
const SECONDS = 6;
const EVENTS = EVENTS_A_SECOND * SECONDS;

interface Reported {
  id: number;
  aggregate_id: string;
}

/** The time from the commit of an event until the last of several long-polling consumers has it. */
export const outboxDelivery: BenchCase = {
  name: 'outbox',
  what: `P9: commit to long-poller, ${EVENTS_A_SECOND} events/s, ${CONSUMERS} consumers; the 99th percentile`,
  prepare: (bench) => ({
    sides: [{ name: 'delivery', run: (round) => delivery(bench, round) }],
    bounds: [{ of: 'delivery', atMost: 50 }],
  }),
};

async function delivery(bench: Workbench, round: number): Promise<number> {
  const { rows } = await bench.db.query<{ org_id: string; head: string }>(
    'select id as org_id, coalesce((select max(event_id) from outbox_events where org_id = o.id), 0)::text as head from organisations o',
  );
  const { org_id: orgId, head } = rows[0] ?? { org_id: '', head: '0' };
  const committed = new Map<string, number>();
  const late: number[] = [];

  const consumer = async (name: string): Promise<void> => {
    let cursor = Number(head);
    let received = 0;
    while (received < EVENTS) {
      const { body } = await bench.get(
        `/v1/inference/outbox?consumer_id=${name}&after=${cursor}&wait_ms=5000&limit=1000`,
      );
      const now = performance.now();
      const events = body as Reported[];
      if (events.length === 0) throw new Error(`events were lost: ${received} of ${EVENTS} came`);
      for (const { id, aggregate_id: aggregate } of events) {
        if (id !== cursor + 1) throw new Error(`event ${id} came after ${cursor}`);
        cursor = id;
        // From the commit, or from the moment before it if the consumer was faster than the writer's reply.
        late.push(now - (committed.get(aggregate) ?? now));
      }
      received += events.length;
      await bench.post('/v1/inference/outbox/ack', JSON.stringify({ consumer_id: name, event_id: cursor }));
    }
  };

  const consumers = Array.from({ length: CONSUMERS }, (_, place) => consumer(`bench-${round}-${place}`));
  await Promise.all([write(bench.db, orgId, committed), ...consumers]);
  late.sort((a, b) => a - b);
  return late[Math.floor(late.length * 0.99)] ?? NaN;
}

/** At an even pace, whatever a single write takes. */
async function write(db: pg.Pool, orgId: string, committed: Map<string, number>): Promise<void> {
  const begun = performance.now();
  const writes: Promise<unknown>[] = [];
  for (let event = 0; event < EVENTS; event++) {
    const due = begun + (event * 1_000) / EVENTS_A_SECOND;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    const aggregate = randomUUID();
    writes.push(
      db
        .query(
          bind(APPEND, {
            org_id: orgId,
            id: randomUUID(),
            type: 'bench.happened',
            aggregate_id: aggregate,
            cluster_id: null,
            payload: '{}',
          }),
        )
        .then(() => committed.set(aggregate, performance.now())),
    );
  }
  await Promise.all(writes);
}
