import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { inTime, LATE } from '../../1-platform/common/work/in-time';
import { LOGGER } from '../../1-platform/common/logger';
import { unavailable } from '../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { Batches } from '../../1-platform/common/work/batches';
import { databaseProblem, isConnectionFault, isOutOfTime } from '../../1-platform/database/connections/database-errors';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { forgetUsage, type UsageRow } from '../usage/usage.queries';
import {
  chargeUnsettled,
  CLOSED_AT_ONCE,
  forgetAuthorizations,
  releaseUnused,
  settle,
  type Reported,
} from './settlements.queries';

/** Maximal requests that one statement settles, and the pause in which they gather. */
const MAX_BATCH = 1_000;
const GATHER_MS = 25;

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

const STOPPED = new Error('the service stopped before it was written');

/** Pause between two searches for expired reservations. */
const EXPIRE_EVERY_SECONDS = 2;
/** How long the id of a settled request is remembered. */
const KNOWN_DAYS = 7;
const ROWS_AT_ONCE = 5_000;

/**
 * Records the results of requests, and charges their keys. In batches, with a delay of about 25 ms: a crash
 * loses less than the reservations of the same requests, which stay charged.
 */
@Injectable()
export class SettlementsService implements OnModuleInit {
  /** Receives the error that kept a row from being written, or nothing. */
  private readonly batches = new Batches<Reported, unknown>((reports) => this.write(reports), {
    maxItems: MAX_BATCH,
    pauseMs: GATHER_MS,
  });
  private stopsAt = Infinity;
  /** Requests in flight, whose results are still to come. */
  private expected = 0;

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
    this.statements.beforeEnd(async () => {
      this.stopsAt = performance.now() + STOP_MS;
      // Interrupted answers are recorded a moment after their connections are closed, and postponed rows come
      // back.
      while (this.expected + this.waiting > 0 && performance.now() < this.stopsAt) await sleep(10);
      await this.batches.idle();
    });
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
  expect(): () => void {
    this.expected++;
    return () => this.expected--;
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
      try {
        await settle(this.statements, reports);
        return reports.map(() => undefined);
      } catch (error) {
        if (performance.now() > this.stopsAt) return this.lost(reports, error);
        if (isConnectionFault(error))
          this.logger.warn({ err: error, requests: reports.length }, 'usage waits for the database');
        else if (isOutOfTime(error) && reports.length > 1) return this.writeHalves(reports);
        else if (isBusy(error)) return this.writeApart(reports);
        else if (reports.length > 1) return this.writeEach(reports);
        else return this.lost(reports, error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** The database is too slow for so many: repeated as they are, they might never be written. */
  private async writeHalves(reports: readonly Reported[]): Promise<unknown[]> {
    const middle = Math.ceil(reports.length / 2);
    const faults = await this.write(reports.slice(0, middle));
    const rest = reports.slice(middle);
    const isOver = performance.now() > this.stopsAt;
    return [...faults, ...(isOver ? this.lost(rest, STOPPED) : await this.write(rest))];
  }

  /** One of the keys is locked: the requests of others must not wait for it. */
  private async writeApart(reports: readonly Reported[]): Promise<unknown[]> {
    const owners = Map.groupBy(reports, ({ row }) => row.key_id ?? row.org_id);
    if (owners.size === 1) return reports.map((one) => this.writeLater(one));
    const results = new Map<Reported, unknown>();
    for (const group of owners.values()) {
      const faults = await this.write(group);
      group.forEach((one, place) => results.set(one, faults[place]));
    }
    return reports.map((one) => results.get(one));
  }

  private async writeLater(one: Reported): Promise<unknown> {
    const done = this.expect();
    await sleep(RETRY_MS);
    const written = this.batches.add(one);
    done();
    return written;
  }

  /** One of them cannot be written: the others are written without it. */
  private async writeEach(reports: readonly Reported[]): Promise<unknown[]> {
    const faults: unknown[] = [];
    for (const one of reports) faults.push(...(await this.write([one])));
    return faults;
  }

  private lost(reports: readonly Reported[], error: unknown): unknown[] {
    const requests = reports.map(({ row }) => row.request_id);
    this.logger.error({ err: error, requests }, 'the usage of requests is lost; they stay charged as reserved');
    return reports.map(() => error);
  }

  private async expire(): Promise<number | void> {
    // Apart, because each of them locks authorizations and then keys.
    for (const expire of [chargeUnsettled, releaseUnused]) {
      const closed = await this.unitOfWork.system('reservations of every organisation expire', expire);
      if (closed === CLOSED_AT_ONCE) return 0;
    }
    return undefined;
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

/** The database is reachable, but there was a conflict, or it was slow: the write can be repeated. */
const isBusy = (error: unknown): boolean => databaseProblem(error)?.status === 503;
