import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { inTime, LATE } from '../../1-platform/common/work/in-time';
import { LOGGER } from '../../1-platform/common/logger';
import { unavailable } from '../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { Batches } from '../../1-platform/common/work/batches';
import {
  databaseProblem,
  isConnectionFault,
  isLockBusy,
  isOutOfTime,
} from '../../1-platform/database/connections/database-errors';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { forgetUsage, type UsageRow } from '../usage/usage.queries';
import {
  chargeUnsettled,
  CLOSED_AT_ONCE,
  forgetAuthorizations,
  hold,
  releaseUnused,
  settle,
  type Expected,
  type Expire,
  type Expired,
  type Reported,
} from './settlements.queries';

/** Maximal requests that one statement settles. */
const MAX_BATCH = 1_000;
/**
 * The pause in which they gather: the sums of a statement are as many rows for any number of requests. Each
 * request took 0.21 ms of PostgreSQL's processor in a statement of 13, 0.13 ms of 30, and 0.07 ms of 100.
 */
const GATHER_MS = 100;
/** As long as somebody waits until one of them is written. */
const GATHER_AWAITED_MS = 25;
/** After a statement that was not finished in time: how much more the next ones settle, step by step. */
const RISE = 1.1;

/**
 * Maximal requests that wait for a settlement while the database is unreachable; beyond that no requests are
 * admitted.
 */
const MAX_WAITING = 10_000;

const RETRY_MS = 500;
/** How long a telemetry request waits until it is written. */
const WAITED_FOR_MS = 2_000;
/**
 * How long the stop of the service waits for an unreachable database: unwritten requests stay charged by
 * their reservations.
 */
const STOP_MS = 5_000;

/**
 * A request that was sent to a worker and is not settled (because its process died) is charged its
 * reservation after this time. A process puts that off for all requests whose results it still expects, often
 * enough to outlast an outage of the database.
 */
export const HELD_MS = 3_600_000;
const HELD_ON_EVERY_MS = 600_000;

/** Both lock authorizations and then keys. */
const EXPIRE: readonly Expire[] = [chargeUnsettled, releaseUnused];

/** Others hold the row of the key. A `UnitOfWork` repeats the fault of the database, and not this one. */
class StillHeld extends Error {}

const STOPPED = new Error('the service stopped before it was written');

/** Pause between two searches for expired reservations. */
const EXPIRE_EVERY_SECONDS = 2;
/** Keys whose rows one round waits for, a second each at most: others hold them. */
const WAITED_FOR_AT_ONCE = 4;
/** A key is logged when its row was waited for so many times in a row, in vain. */
const LOGGED_AFTER = 5;
/** How long the id of a settled request is remembered. */
const KNOWN_DAYS = 7;
const ROWS_AT_ONCE = 5_000;

/**
 * Records the results of requests, and charges their keys. In batches, with a delay of up to 100 ms: a crash
 * loses less than the reservations of the same requests, which stay charged.
 */
@Injectable()
export class SettlementsService implements OnModuleInit, OnApplicationShutdown {
  /** Receives the error that kept a row from being written, or nothing. */
  private readonly batches = new Batches<Reported, unknown>((reports) => this.write(reports), {
    maxItems: MAX_BATCH,
    pauseMs: GATHER_AWAITED_MS,
    patient: { is: ({ durable }) => !durable, pauseMs: GATHER_MS },
  });
  private stopsAt = Infinity;
  /** Requests in flight, whose results are still to come. */
  private readonly expected = new Set<Expected>();
  private timer: NodeJS.Timeout | undefined;
  /** Results that are in no batch, and soon come back to one. */
  private postponed = 0;
  /** Requests that one statement settles. Half as many after it was not finished in time. */
  private atOnce = MAX_BATCH;
  /**
   * Keys that others held in the last round, with how many times in a row their rows were waited for in vain.
   * In the order in which they are waited for next.
   */
  private heldKeys: ReadonlyMap<string, number> = new Map();
  /** Requests whose results were not written before the stop. */
  private unwritten = 0;
  /** What others do when the service stops. */
  private readonly lastWork: (() => void)[] = [];

  constructor(
    private readonly statements: StatementPool,
    private readonly unitOfWork: UnitOfWork,
    private readonly sweeps: Sweeps,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: 'authorizations', everySeconds: EXPIRE_EVERY_SECONDS, run: () => this.expire() });
    this.sweeps.add({ name: 'usage history', everySeconds: 6 * 3_600, run: () => this.forget() });
    this.statements.beforeEnd(() => this.end());
    this.timer = setInterval(() => void this.holdOn(), HELD_ON_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Hands over gathered results: runs when the service stops, before the last ones are written. */
  beforeEnd(work: () => void): void {
    this.lastWork.push(work);
  }

  /** @throws Error if usage is lost */
  private async end(): Promise<void> {
    this.stopsAt = performance.now() + STOP_MS;
    for (const work of this.lastWork) work();
    // Interrupted answers are recorded a moment after their connections are closed. Postponed results come
    // back in any case, and are lost by then or written.
    while (this.postponed > 0 || (this.expected.size + this.waiting > 0 && !this.isOver)) await sleep(10);
    await this.batches.idle();
    const lost = this.unwritten + this.expected.size;
    if (lost > 0) throw new Error(`usage was not written, of requests that stay charged as reserved: ${lost}`);
  }

  /** Whether the stop leaves no time for another try. */
  private get isOver(): boolean {
    return performance.now() >= this.stopsAt;
  }

  /** Requests to record. */
  get waiting(): number {
    return this.batches.size;
  }

  /** Whether another unwritten request still fits. */
  get hasRoom(): boolean {
    return this.waiting < MAX_WAITING;
  }

  /** @throws 503 if the queue of unwritten requests is full */
  checkRoom(): void {
    if (!this.hasRoom) throw unavailable('usage_backlog', 'Too many requests wait to be recorded; try again.');
  }

  /** Announces a result, whatever it will be. @returns a function to call when it is known */
  expect(request: Expected): () => void {
    this.expected.add(request);
    return () => this.expected.delete(request);
  }

  /** Puts off the charge of requests in progress: an answer may take longer than a reservation stands. */
  async holdOn(): Promise<void> {
    const requests = [...this.expected];
    try {
      for (let at = 0; at < requests.length; at += MAX_BATCH)
        await hold(this.statements, requests.slice(at, at + MAX_BATCH), HELD_MS);
    } catch (error) {
      this.logger.warn({ err: error, requests: requests.length }, 'the reservations of requests were not held on to');
    }
  }

  /** Written soon, even if the caller leaves; a repeated result changes nothing. A loss is logged. */
  settle(row: UsageRow): void {
    void this.batches.add({ row, at: performance.now(), durable: false });
  }

  /**
   * Resolves when it is written.
   * @throws 503 if the database delays it; it may be written later, and a repetition changes nothing
   */
  async settled(row: UsageRow): Promise<void> {
    this.checkRoom();
    const fault = await inTime(this.batches.add({ row, at: performance.now(), durable: true }), WAITED_FOR_MS);
    if (fault === LATE) throw unavailable('usage_backlog', 'The database is too slow; report it again.');
    if (fault !== undefined) throw new Error('the usage of a request is lost', { cause: fault });
  }

  private async write(reports: readonly Reported[]): Promise<unknown[]> {
    for (;;) {
      if (reports.length > this.atOnce) return this.writeParts(reports, () => this.atOnce);
      try {
        await settle(this.statements, reports);
        if (reports.length === this.atOnce) this.atOnce = Math.min(MAX_BATCH, Math.ceil(this.atOnce * RISE));
        return reports.map(() => undefined);
      } catch (error) {
        if (this.isOver) return this.lost(reports, error);
        if (isConnectionFault(error))
          this.logger.warn({ err: error, requests: reports.length }, 'usage waits for the database');
        else if (isOutOfTime(error) && reports.length > 1) {
          // Repeated as they are, they might never be written.
          this.atOnce = Math.ceil(reports.length / 2);
          continue;
        } else if (isBusy(error)) return this.writeApart(reports);
        else if (reports.length > 1) return this.writeParts(reports, () => 1);
        else return this.lost(reports, error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** One part after the other, as long as the stop leaves time. */
  private async writeParts(reports: readonly Reported[], sizeOfNext: () => number): Promise<unknown[]> {
    const faults: unknown[] = [];
    while (faults.length < reports.length) {
      const rest = reports.slice(faults.length);
      faults.push(...(this.isOver ? this.lost(rest, STOPPED) : await this.write(rest.slice(0, sizeOfNext()))));
    }
    return faults;
  }

  /** One of the keys is locked: the requests of others must not wait for it. */
  private async writeApart(reports: readonly Reported[]): Promise<unknown[]> {
    const owners = Map.groupBy(reports, ({ row }) => row.key_id ?? row.org_id);
    if (owners.size === 1) return reports.map((one) => this.writeLater(one));
    const grouped = [...owners.values()].flat();
    const sizes = [...owners.values()].map(({ length }) => length).values();
    const faults = await this.writeParts(grouped, () => sizes.next().value ?? 1);
    const results = new Map(grouped.map((one, place) => [one, faults[place]]));
    return reports.map((one) => results.get(one));
  }

  private async writeLater(one: Reported): Promise<unknown> {
    this.postponed++;
    await sleep(RETRY_MS);
    const written = this.batches.add(one);
    this.postponed--;
    return written;
  }

  private lost(reports: readonly Reported[], error: unknown): unknown[] {
    const requests = reports.map(({ row }) => row.request_id);
    this.logger.error({ err: error, requests }, 'the usage of requests is lost; they stay charged as reserved');
    if (this.isOver) this.unwritten += reports.reduce((sum, { row }) => sum + 1 + row.repeated, 0);
    return reports.map(() => error);
  }

  private async expire(): Promise<number | void> {
    const held = new Set<string>();
    const faults: unknown[] = [];
    let more = false;
    const step = async (work: (tx: Tx) => Promise<Expired>): Promise<void> => {
      const { closed, heldKeys } = await this.unitOfWork.system('reservations of every organisation expire', work);
      for (const keyId of heldKeys) held.add(keyId);
      more ||= closed === CLOSED_AT_ONCE;
    };
    // Apart, because one may fail.
    for (const one of EXPIRE) await step((tx) => one(tx)).catch((error: unknown) => faults.push(error));
    // A busy key may be held whenever somebody looks: only who waits for its row gets a turn.
    const waiting = [...this.heldKeys.keys()].filter((id) => held.has(id));
    const queue = [...waiting, ...[...held].filter((id) => !this.heldKeys.has(id))];
    const again = queue.splice(WAITED_FOR_AT_ONCE);
    const inVain = new Set<string>();
    for (const keyId of queue)
      try {
        for (const one of EXPIRE) await step((tx) => one(tx, keyId).catch(unlessHeld));
      } catch (error) {
        again.push(keyId);
        if (error instanceof StillHeld) inVain.add(keyId);
        else faults.push(error);
      }
    this.noteHeld(again, inVain);
    if (faults.length > 0) throw faults[0];
    return more ? 0 : undefined;
  }

  /**
   * Logs the keys whose reservations stand because somebody keeps their rows locked, once.
   * @param inVain those of them whose rows were waited for: the others were held for a moment, perhaps
   */
  private noteHeld(keys: readonly string[], inVain: ReadonlySet<string>): void {
    this.heldKeys = new Map(keys.map((id) => [id, (this.heldKeys.get(id) ?? 0) + (inVain.has(id) ? 1 : 0)]));
    const long = [...inVain].filter((id) => this.heldKeys.get(id) === LOGGED_AFTER);
    if (long.length > 0)
      this.logger.warn(
        { keys: long },
        'inference keys are locked: their expired reservations stand until they are free',
      );
  }

  private async forget(): Promise<void> {
    const { usageRetentionDays } = this.environment;
    for (const { what, days } of [
      { what: forgetAuthorizations, days: KNOWN_DAYS },
      { what: forgetUsage, days: usageRetentionDays },
    ])
      await this.sweeps.repeat(ROWS_AT_ONCE, (limit) =>
        this.unitOfWork.system('requests of every organisation grow old', (tx) => what(tx, days, limit)),
      );
  }
}

function unlessHeld(error: unknown): never {
  throw isLockBusy(error) ? new StillHeld('others hold the row of a key', { cause: error }) : error;
}

/** The database is reachable, but there was a conflict, or it was slow: the write can be repeated. */
const isBusy = (error: unknown): boolean => databaseProblem(error)?.status === 503;
