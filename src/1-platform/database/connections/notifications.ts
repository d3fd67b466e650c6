import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { LOGGER } from '../../common/logger';
import { ENVIRONMENT } from '../../config/config.module';
import type { Environment } from '../../config/environment';
import { connectionOptions } from './data-source-options';
import { DatabaseClient } from './database-client';
import { DatabaseWatch } from './database-watch';

const RECONNECT_MS = 1_000;

type Listener = (payload: string) => void;

/** A name of a channel cannot be a parameter. */
const listenTo = (channel: string): string => `listen ${pg.escapeIdentifier(channel)}`;

/**
 * What another replica has just committed (LISTEN/NOTIFY), over one connection that
 * is opened again when it breaks. A message can be lost while it is down: users must
 * be right without it, and only be quicker with it.
 */
@Injectable()
export class Notifications implements OnModuleInit, OnApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  /** The client that is connected, or being connected; every other one is of the past. */
  private client: pg.Client | undefined;
  /**
   * The client that listens to all that was asked for until now; one that
   * is only being connected is told of the rest then.
   */
  private listens: pg.Client | undefined;
  private listening: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Told once an outage, not once a try. */
  private told = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly watch: DatabaseWatch,
  ) {}

  /** Before the application starts. @param channel a constant of the code */
  on(channel: string, listener: Listener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
    const { listens: client } = this;
    // One after the other: a client takes one statement at a time.
    // What fails is made up for when it connects again.
    if (client) this.listening = this.listening.then(() => client.query(listenTo(channel))).catch(() => undefined);
  }

  async onModuleInit(): Promise<void> {
    await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const { databaseUrl = '', databaseStatementTimeoutMs } = this.environment;
    const { watch } = this;
    const client = new DatabaseClient(
      connectionOptions({ databaseUrl, poolSize: 1, statementTimeoutMs: databaseStatementTimeoutMs, watch }),
    );
    this.client = client;
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload = '' }) => this.hear(channel, payload));
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(listenTo(channel));
      this.listens = client;
      this.told = false;
      if (this.stopped) await client.end();
    } catch (error) {
      this.lost(client, error as Error);
    }
  }

  private hear(channel: string, payload: string): void {
    for (const listener of this.listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        // Of another release, perhaps: it must not end this one.
        this.logger.warn({ err: error, channel }, 'a notification was not understood');
      }
    }
  }

  /** Told once of each client, however many ways it has to say that it is gone. */
  private lost(client: pg.Client, error?: Error): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.listens = undefined;
    // One that failed half way may still be connected.
    client.end().catch(() => undefined);
    if (this.stopped) return;
    if (error && !this.told) this.logger.warn({ err: error }, 'the connection for notifications was lost');
    this.told ||= error !== undefined;
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS).unref();
  }
}
