import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import type { Logger } from 'pino';
import { LOGGER } from '../common/logger';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { connectionOptions } from './data-source-options';

const RECONNECT_MS = 1_000;

type Listener = (payload: string) => void;

/** A name of a channel cannot be a parameter. */
const listenTo = (channel: string): string => `listen ${pg.escapeIdentifier(channel)}`;

/**
 * What another replica has just committed (LISTEN/NOTIFY), over one connection that is opened again when it breaks. A
 * message can be lost while it is down: users must be right without it, and only be quicker with it.
 */
@Injectable()
export class Notifications implements OnModuleInit, OnApplicationShutdown {
  private readonly listeners = new Map<string, Listener[]>();
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param channel a constant of the code */
  on(channel: string, listener: Listener): void {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
    if (this.client) void this.client.query(listenTo(channel)).catch(() => undefined);
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
    const client = new pg.Client(
      connectionOptions({ databaseUrl, poolSize: 1, statementTimeoutMs: databaseStatementTimeoutMs }),
    );
    client.on('error', (error) => this.lost(client, error));
    client.on('end', () => this.lost(client));
    client.on('notification', ({ channel, payload = '' }) =>
      this.listeners.get(channel)?.forEach((listener) => listener(payload)),
    );
    try {
      await client.connect();
      for (const channel of this.listeners.keys()) await client.query(listenTo(channel));
      this.client = client;
    } catch (error) {
      this.lost(client, error as Error);
    }
  }

  private lost(client: pg.Client, error?: Error): void {
    if (this.stopped || (this.client !== undefined && this.client !== client) || this.timer) return;
    if (error) this.logger.warn({ err: error }, 'the connection for notifications was lost');
    this.client = undefined;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.connect();
    }, RECONNECT_MS).unref();
  }
}
