import { setTimeout as sleep } from 'node:timers/promises';
import type { Values } from '../../src/1-platform/database/transactions/statement';
import type { NewOutboxEvent } from '../../src/1-platform/outbox/outbox';
import { deliveryFaults, versionKey } from '../history/deliveries';
import { seeded } from './random';

/** An open transaction. */
export interface CheckerTx {
  query(text: string, values: Values): Promise<object[]>;
  append(event: NewOutboxEvent): Promise<void>;
}

interface CheckerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** What is checked, and for how long. */
export interface Trial {
  readonly seed: number;
  readonly orgId: string;
  readonly writers: number;
  readonly aggregates: number;
  readonly consumers: number;
  readonly writingMs: number;
  /** Whether the test has seen enough; on a slow machine writers continue until then. */
  enough?(counts: Readonly<Counts>, confirmed: number): boolean;
  /** Runs one transaction of a writer, which commits unless `work` throws. */
  transact(writer: number, work: (tx: CheckerTx) => Promise<void>): Promise<void>;
  /** Sends a request to one of the replicas as a controller of the organisation. */
  request(replica: number, method: 'GET' | 'POST', path: string, body?: object): Promise<CheckerAnswer>;
  readonly replicas: number;
  /** Closes database connections now and then: transactions and requests may then fail. */
  readonly cut?: { readonly times: number; now(random: () => number): Promise<number> };
}

interface Counts {
  /** Answers that a consumer did not receive. */
  lost: number;
  /** Consumers that forgot their position. */
  crashes: number;
  redelivered: number;
  /** Closed connections, and the failures that followed. */
  cut: number;
  failedWrites: number;
  failedRequests: number;
}

interface Verdict extends Readonly<Counts> {
  readonly violations: string[];
  readonly committed: number;
  /** For each confirmed event, milliseconds from the confirmation to its first delivery. */
  readonly lagMs: readonly number[];
}

interface OutboxEvent {
  id: number;
  aggregate_id: string;
  payload: { version: number };
}

const SLOW = 0.02;
const SLOW_MS = 120;
const ROLLED_BACK = 0.03;
const LOST = 0.1;
const CRASHED = 0.05;
const ACKED = 0.7;
const WAIT_MS = 300;
const PAGE = 50;
/** Of a consumer that is behind. */
const LARGEST_PAGE = 1_000;
/** A consumer stops after this many violations. */
const MAX_VIOLATIONS = 20;
const OUTBOX = '/v1/inference/outbox';
/** All events must be delivered within this time after the last commit. */
const DRAINED_WITHIN_MS = 120_000;

/** Rows whose versions the writers increment. */
export const AGGREGATES = 'checker_aggregates';
export const CREATE_AGGREGATES = `create table ${AGGREGATES} (org_id uuid, id int, version bigint not null default 0, primary key (org_id, id))`;
const ARRANGE = `insert into ${AGGREGATES} (org_id, id) select $org_id, generate_series(1, $aggregates::int)`;
const WRITE = `update ${AGGREGATES} set version = version + 1 where org_id = $org_id and id = $aggregate returning version::int as version`;
const COMMITTED = `select id, version::int as version from ${AGGREGATES} where org_id = $org_id`;

class RolledBack extends Error {}

/** Polls after its last event, or after its acknowledgement if it crashed. */
class Consumer {
  private readonly name: string;
  private readonly delivered: OutboxEvent[] = [];
  /** The first event delivered under each number. */
  private readonly first = new Map<number, string>();
  /** When each event was first delivered. */
  readonly deliveredAt = new Map<string, number>();
  private replica: number;
  private acked = 0;
  /** It doubles while a page is full: with 50 at a time, a consumer stays as far behind as it was. */
  private page = PAGE;
  /** What may have been acknowledged in addition: those answers were lost. */
  private readonly perhaps = new Set<number>();
  private crashed = true;
  /** The number of events, as soon as it is known. */
  total: number | undefined;

  constructor(
    private readonly trial: Trial,
    place: number,
    private readonly random: () => number,
    private readonly counts: Counts,
    private readonly violations: string[],
  ) {
    this.name = `checker-${place}`;
    this.replica = place % trial.replicas;
  }

  /** @returns its events in order, after it has acknowledged all of them */
  async run(): Promise<readonly OutboxEvent[]> {
    let giveUp = Infinity;
    while (this.violations.length < MAX_VIOLATIONS) {
      if (this.total !== undefined) giveUp = Math.min(giveUp, performance.now() + DRAINED_WITHIN_MS);
      const events = await this.read();
      if (events) this.take(events);
      if (events) this.page = events.length < this.page ? PAGE : Math.min(2 * this.page, LARGEST_PAGE);
      if (events?.length === 0 && this.total === this.acked) break;
      if (performance.now() > giveUp) {
        this.violation(`${this.delivered.length} of ${this.total} events came, ${this.acked} are acknowledged`);
        break;
      }
      await this.goOn();
    }
    return this.delivered;
  }

  private violation(what: string): void {
    this.violations.push(`${this.name}: ${what}`);
  }

  private async read(): Promise<OutboxEvent[] | undefined> {
    const cursor = this.crashed ? '' : `&after=${this.delivered.length}`;
    const path = `${OUTBOX}?consumer_id=${this.name}&wait_ms=${WAIT_MS}&limit=${this.page}${cursor}`;
    return (await this.ask('GET', path)) as OutboxEvent[] | undefined;
  }

  private take(events: readonly OutboxEvent[]): void {
    const [begins] = events;
    if (begins === undefined) return;
    if (this.crashed) {
      const before = begins.id - 1;
      if (before !== this.acked && !this.perhaps.has(before))
        this.violation(`delivered again from ${begins.id}, after an acknowledgement up to ${this.acked}`);
      this.acked = Math.max(this.acked, before);
      this.delivered.length = Math.min(this.delivered.length, before);
      this.crashed = false;
    }
    for (const event of events) {
      const key = versionKey(event.aggregate_id, event.payload.version);
      const before = this.first.get(event.id) ?? key;
      if (before !== key) this.violation(`event ${event.id} was ${before}, is ${key}`);
      if (event.id !== this.delivered.length + 1)
        this.violation(`event ${event.id} came behind ${this.delivered.length}`);
      if (this.first.has(event.id)) this.counts.redelivered++;
      else this.deliveredAt.set(key, performance.now());
      this.first.set(event.id, key);
      this.delivered.push(event);
    }
  }

  /** Crashes and continues at any replica, or acknowledges its events, or postpones that. */
  private async goOn(): Promise<void> {
    if (this.random() < CRASHED) {
      this.counts.crashes++;
      this.crashed = true;
      this.replica = Math.floor(this.random() * this.trial.replicas);
    } else if (this.delivered.length > this.acked && (this.total !== undefined || this.random() < ACKED)) {
      const newest = this.delivered.length;
      this.perhaps.add(newest);
      if ((await this.ask('POST', `${OUTBOX}/ack`, { consumer_id: this.name, event_id: newest })) === undefined) return;
      this.acked = newest;
      this.perhaps.clear();
    }
  }

  /** @returns the body of an answer, or null; undefined if the service failed or the answer was lost */
  private async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const { cut } = this.trial;
    const answer = await this.trial.request(this.replica, method, path, body).catch((error: unknown) => {
      if (!cut) throw error;
      return { status: 503, body: String(error) };
    });
    if (answer.status === 200 || answer.status === 204) {
      if (this.random() >= LOST) return answer.body ?? null;
      this.counts.lost++;
      return undefined;
    }
    if (!cut || answer.status < 500)
      this.violation(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    this.counts.failedRequests++;
    // As a load balancer would: the other replica may serve already.
    this.replica = (this.replica + 1) % this.trial.replicas;
    await sleep(20);
    return undefined;
  }
}

/**
 * Runs writers, some slow and some that roll back, and consumers that lose answers and crash. The delivered
 * events must be the committed ones, numbered from 1 without a gap, in the order of every aggregate's
 * versions. After a crash, delivery restarts at the first unacknowledged event, and no event changes.
 */
export class OutboxChecker {
  private readonly violations: string[] = [];
  /** When each event was confirmed. */
  private readonly confirmed = new Map<string, number>();
  /** Events of broken transactions, which may have been committed. */
  private readonly unsure = new Set<string>();
  private readonly counts: Counts = { lost: 0, crashes: 0, redelivered: 0, cut: 0, failedWrites: 0, failedRequests: 0 };
  private until = 0;

  constructor(private readonly trial: Trial) {}

  async run(): Promise<Verdict> {
    const { trial } = this;
    await trial.transact(
      0,
      async (tx) => void (await tx.query(ARRANGE, { org_id: trial.orgId, aggregates: trial.aggregates })),
    );
    this.until = performance.now() + trial.writingMs;
    const consumers = Array.from(
      { length: trial.consumers },
      (_, place) => new Consumer(trial, place, this.random(2, place), this.counts, this.violations),
    );
    const consumed = Promise.all(consumers.map((consumer) => consumer.run()));
    const writers = Array.from({ length: trial.writers }, (_, place) => this.write(place));
    await Promise.all([...writers, this.cut()]);
    const versions = await this.versions();
    for (const consumer of consumers) consumer.total = versions.size;
    for (const delivered of await consumed) this.judge(delivered, versions);
    const lagMs = [...this.confirmed].map(
      ([key, at]) => Math.min(...consumers.map(({ deliveredAt }) => deliveredAt.get(key) ?? Infinity)) - at,
    );
    return { violations: this.violations, committed: versions.size, lagMs, ...this.counts };
  }

  private random(role: number, place: number): () => number {
    return seeded(this.trial.seed * 1_000 + role * 100 + place);
  }

  private async write(writer: number): Promise<void> {
    const { trial } = this;
    const random = this.random(0, writer);
    while (performance.now() < this.until || trial.enough?.(this.counts, this.confirmed.size) === false) {
      const aggregate = 1 + Math.floor(random() * trial.aggregates);
      const [slow, fails] = [random() < SLOW, random() < ROLLED_BACK];
      let version = 0;
      try {
        await trial.transact(writer, async (tx) => {
          [{ version }] = (await tx.query(WRITE, { org_id: trial.orgId, aggregate })) as [{ version: number }];
          const event = { type: 'test.happened', clusterId: null, payload: { version } } as const;
          await tx.append({ ...event, aggregateId: String(aggregate) });
          if (slow) await sleep(SLOW_MS);
          if (fails) throw new RolledBack();
        });
        this.confirmed.set(versionKey(aggregate, version), performance.now());
      } catch (error) {
        if (error instanceof RolledBack) continue;
        if (!trial.cut) throw error;
        this.counts.failedWrites++;
        this.unsure.add(versionKey(aggregate, version));
      }
    }
  }

  /** Spread over the writing time. */
  private async cut(): Promise<void> {
    const { cut, writingMs } = this.trial;
    const random = this.random(1, 0);
    for (let time = 0; cut && time < cut.times; time++) {
      await sleep((writingMs / (cut.times + 1)) * (0.7 + random() * 0.6));
      if (performance.now() < this.until) this.counts.cut += await cut.now(random);
    }
  }

  /** The committed versions: every change of an aggregate increments its version by one. */
  private async versions(): Promise<Set<string>> {
    const rows: { id: number; version: number }[] = [];
    await this.trial.transact(0, async (tx) => {
      rows.push(...((await tx.query(COMMITTED, { org_id: this.trial.orgId })) as typeof rows));
    });
    return new Set(
      rows.flatMap(({ id, version }) => Array.from({ length: version }, (_, place) => versionKey(id, place + 1))),
    );
  }

  private judge(delivered: readonly OutboxEvent[], committed: ReadonlySet<string>): void {
    const deliveries = delivered.map(({ id, aggregate_id: aggregate, payload: { version } }) => ({
      id,
      aggregate,
      version,
    }));
    this.violations.push(...deliveryFaults(deliveries, committed));
    const made = deliveries.filter(({ aggregate, version }) => !committed.has(versionKey(aggregate, version)));
    if (made[0]) this.violations.push(`${made.length} were never committed, such as event ${made[0].id}`);
    for (const key of this.confirmed.keys())
      if (!committed.has(key)) this.violations.push(`${key} was confirmed, and is not there`);
    for (const key of committed)
      if (!this.confirmed.has(key) && !this.unsure.has(key))
        this.violations.push(`${key} was rolled back, and is there`);
  }
}
