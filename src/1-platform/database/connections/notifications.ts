import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { LOGGER } from '../../common/logger';
import { ENVIRONMENT } from '../../config/config.module';
import { directUrl, type Environment } from '../../config/environment';
import { connectionOptions } from './data-source-options';
import { DatabaseClient } from './database-client';
import { DatabaseWatch } from './database-watch';

const RECONNECT_MS = 1_000;

/**
 * Nothing is sent over a connection that only listens, so nobody would notice for minutes that its packets
 * are lost. The answer to a statement shows that it lives: see `DatabaseWatch`.
 */
const EXAMINE_EVERY_MS = 5_000;
/** On a channel on which nobody sends: what is shown of the session is still that it listens. */
const EXAMINE = 'listen examined';

/**
 * The pause before the next attempt to connect: none after a connection that worked, as after a restart of
 * the server; a second where the last one failed or broke soon.
 * @param connectedMs how long the last connection was open; 0 if it failed
 */
export const pauseBeforeConnecting = (connectedMs: number): number => (connectedMs < RECONNECT_MS ? RECONNECT_MS : 0);

type Listener = (payload: string) => void;

/** The name of a channel cannot be a parameter. */
const listenTo = (channel: string): string => `listen ${pg.escapeIdentifier(channel)}`;

/**
 * Messages that another replica has just committed (LISTEN/NOTIFY), over one connection that is reopened when
 * it breaks. A message can be lost meanwhile: users must be correct without it, and only faster with it.
 */
@Injectable()
export class Notifications implements OnModuleInit, OnApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  private readonly resumed: (() => void)[] = [];
  /** The current client, connected or connecting; all others are obsolete. */
  private client: pg.Client | undefined;
  /**
   * The client that listens to all channels so far. A client that is still connecting learns of the other
   * channels when it is connected.
   */
  private listens: pg.Client | undefined;
  private listening: Promise<unknown> = Promise.resolve();
  /** When the client was connected, of `performance.now`. */
  private connectedAt = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private examination: NodeJS.Timeout | undefined;
  private stopped = false;
  /** Reported once per outage, not once per attempt. */
  private reported = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly watch: DatabaseWatch,
  ) {}

  /** Before the application starts. @param channel a constant of the code */
  on(channel: string, listener: Listener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
    const { listens: client } = this;
    // One after the other: a client takes one statement at a time. Failures are repaired when it connects
    // again.
    if (client) this.listening = this.listening.then(() => client.query(listenTo(channel))).catch(() => undefined);
  }

  /** Whether messages arrive. A break may be noticed a moment later. */
  get isListening(): boolean {
    return this.listens !== undefined;
  }

  /** @param listener called when the connection is back: messages may have been lost meanwhile */
  onResumed(listener: () => void): void {
    this.resumed.push(listener);
  }

  async onModuleInit(): Promise<void> {
    await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    clearTimeout(this.examination);
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    let client: pg.Client | undefined;
    try {
      client = this.newClient();
      this.client = client;
      await client.connect();
      this.connectedAt = performance.now();
      for (const channel of this.listeners.keys()) await client.query(listenTo(channel));
      this.listens = client;
      this.reported = false;
      if (this.stopped) return await client.end();
      this.examineLater(client);
      for (const listener of this.resumed) listener();
    } catch (error) {
      this.lost(client, error as Error);
    }
  }

  /** @throws if a file is missing that the address names, such as `sslrootcert` */
  private newClient(): pg.Client {
    const { databaseStatementTimeoutMs } = this.environment;
    const databaseUrl = directUrl(this.environment);
    const { watch } = this;
    const client = new DatabaseClient(
      connectionOptions({ databaseUrl, poolSize: 1, statementTimeoutMs: databaseStatementTimeoutMs, watch }),
    );
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload = '' }) => this.deliver(channel, payload));
    return client;
  }

  private examineLater(client: pg.Client): void {
    clearTimeout(this.examination);
    this.examination = setTimeout(() => {
      if (this.listens !== client || this.stopped) return;
      client.query(EXAMINE).then(
        () => this.examineLater(client),
        (error: Error) => this.lost(client, error),
      );
    }, EXAMINE_EVERY_MS).unref();
  }

  private deliver(channel: string, payload: string): void {
    for (const listener of this.listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        // Possibly of another release: it must not end this one.
        this.logger.warn({ err: error, channel }, 'a notification was not understood');
      }
    }
  }

  /**
   * Runs once per client, however many events report its loss.
   * @param client undefined if there was none to connect
   */
  private lost(client: pg.Client | undefined, error?: Error): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.listens = undefined;
    // One that failed half way may still be connected.
    client?.end().catch(() => undefined);
    if (this.stopped) return;
    if (error && !this.reported) this.logger.warn({ err: error }, 'the connection for notifications was lost');
    this.reported ||= error !== undefined;
    const connectedMs = Math.max(0, performance.now() - this.connectedAt);
    this.connectedAt = Infinity;
    this.timer = setTimeout(() => void this.connect(), pauseBeforeConnecting(connectedMs)).unref();
  }
}
