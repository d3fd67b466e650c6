import { appendFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import supertest from 'supertest';
import { createApplication } from '../../src/application';
import { Clock } from '../../src/1-platform/common/clock';
import { newId } from '../../src/1-platform/common/ids';
import { createLogger } from '../../src/1-platform/common/logger';
import { readEnvironment, type Environment } from '../../src/1-platform/config/environment';
import { AccessToken } from '../../src/1-platform/tokens/access-token.entity';
import { FirstStart } from '../../src/1-platform/tokens/first-start';
import { UnitOfWork } from '../../src/1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { newToken, tokenDigest } from '../../src/1-platform/auth/bearers/token-secrets';
import { ROLES, type Role } from '../../src/1-platform/endpoints/access';
import { deviation, operationOf } from './description';
import { cloneDatabase, dropDatabase, pooledUrl, poolOf, serviceUrl, testServer } from './test-server';

export const ADMIN_TOKEN = 'admin-token-of-the-tests';

/** Connections are reused, as clients do. */
const connections = new Agent({ keepAlive: true });

/** A clock that stands still until a test moves it. */
class FakeClock extends Clock {
  private time = new Date();

  now(): Date {
    return new Date(this.time);
  }
  set(time: Date | string): void {
    this.time = new Date(time);
  }
  advance(seconds: number): void {
    this.time = new Date(this.time.getTime() + seconds * 1_000);
  }
}

export interface Answer {
  status: number;
  /** Parsed JSON, or the text. */
  body: any; // oxlint-disable-line typescript/no-explicit-any -- tests look into it freely
  text: string;
  headers: Record<string, string>;
}

/** Sends requests with one bearer. Every answer must conform to the API description. */
export class Caller {
  constructor(
    private readonly url: string,
    readonly token: string | undefined,
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('get', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('post', path, body, headers);
  }
  put(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('put', path, body, headers);
  }
  patch(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('patch', path, body, headers);
  }
  delete(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('delete', path, body, headers);
  }

  /** @param body an object is sent as JSON, a string or bytes as they are */
  async send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const agent = supertest(this.url);
    let request = agent[method as 'get'](path)
      .agent(connections)
      .buffer(true)
      .parse(asText)
      .ok(() => true);
    if (this.token !== undefined) request = request.set('authorization', `Bearer ${this.token}`);
    if (body !== undefined) request = request.set('content-type', 'application/json');
    request = request.set(headers);
    const response = await (body === undefined
      ? request
      : request.send(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)));
    const text = response.body as string;
    const type = String(response.headers['content-type'] ?? '');
    const pathname = new URL(path, this.url).pathname;
    const operation = operationOf(method, pathname);
    if (operation) {
      appendFileSync(testServer().callsFile, `${operation.id}\n`);
      const fault = deviation(operation, response.status, type, text);
      if (fault !== undefined)
        throw new Error(`${method} ${path} answered ${response.status}: ${fault}\n${text.slice(0, 2_000)}`);
    }
    return {
      status: response.status,
      body: type.includes('json') ? JSON.parse(text) : text,
      text,
      headers: response.headers,
    };
  }
}

/** Bodies are read as text, because tests compare numbers digit by digit. */
function asText(answer: unknown, done: (error: Error | null, text: string) => void): void {
  const response = answer as NodeJS.ReadableStream;
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks).toString('utf8')));
  response.on('error', (error: Error) => done(error, ''));
}

/** An organisation with a caller for every role. */
export interface Organisation {
  id: string;
  admin: Caller;
  operator: Caller;
  viewer: Caller;
  controller: Caller;
}

/** Another instance on the database of a service. */
export interface Replica {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly as: (token: string | undefined) => Caller;
  readonly sweep: (name: string) => Promise<void>;
}

/** The service with its own database, on a free port. */
export class Service {
  private readonly replicas: NestExpressApplication[] = [];

  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    readonly clock: FakeClock,
    readonly environment: Environment,
    private readonly database: { name: string; url: string },
    /** A connection that sees every row, for set-up and checks. */
    readonly db: pg.Pool,
  ) {}

  /**
   * @param sweeping whether sweeps run by themselves; else `sweep` runs a round
   * @param pooled the URL of a database through a pooler
   * @param overTcp instead of the server's Unix socket
   */
  static async start(
    overrides: Partial<Environment> = {},
    {
      sweeping = false,
      pooled = pooledUrl,
      overTcp = false,
    }: { sweeping?: boolean; pooled?: typeof pooledUrl; overTcp?: boolean } = {},
  ): Promise<Service> {
    const database = await cloneDatabase(testServer());
    const throughPooler = pooled(database.url);
    const environment = {
      ...readEnvironment({}),
      databaseUrl: throughPooler ?? (overTcp ? database.url : serviceUrl(database.url)),
      databaseListenUrl: throughPooler && database.url,
      bootstrapToken: ADMIN_TOKEN,
      ...overrides,
    };
    const clock = new FakeClock();
    const app = await createApplication(environment, createLogger(process.env.TEST_LOG_LEVEL ?? 'silent'), clock);
    await app.get(FirstStart).prepare();
    await app.listen(0, '127.0.0.1');
    if (sweeping) await app.get(Sweeps).start();
    const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
    const db = poolOf(serviceUrl(database.url));
    return new Service(app, url, clock, environment, database, db);
  }

  /** Starts another replica on the same database. */
  async replica(overrides: Partial<Environment> = {}): Promise<Replica> {
    const app = await createApplication({ ...this.environment, ...overrides }, createLogger('silent'), this.clock);
    await app.listen(0, '127.0.0.1');
    this.replicas.push(app);
    const url = await app.getUrl();
    return { app, url, as: (token) => new Caller(url, token), sweep: (name) => app.get(Sweeps).runNow(name) };
  }

  /** A round of a sweep, as the queue would run it once it is due. */
  async sweep(name: string): Promise<void> {
    await this.app.get(Sweeps).runNow(name);
  }

  as(token: string | undefined): Caller {
    return new Caller(this.url, token);
  }

  /** The admin of the organisation that the first start created. */
  get admin(): Caller {
    return this.as(ADMIN_TOKEN);
  }

  async organisation(name = `org-${newId()}`): Promise<Organisation> {
    const { id } = (await this.admin.post('/v1/organisations', { name })).body as { id: string };
    const callers = ROLES.map((role) => ({ role, caller: this.as(newToken()) }));
    // At once instead of by four requests: most tests start with it.
    await this.app.get(UnitOfWork).system('the tests issue tokens', (tx) =>
      tx.manager.insert(
        AccessToken,
        callers.map(({ role, caller }) => ({
          orgId: id,
          id: newId(),
          name: role,
          role,
          digest: tokenDigest(caller.token ?? ''),
          createdAt: this.clock.now(),
        })),
      ),
    );
    return { id, ...(Object.fromEntries(callers.map(({ role, caller }) => [role, caller])) as Record<Role, Caller>) };
  }

  /** An organisation's admin with platform scope. */
  async platformAdmin({ id }: Organisation): Promise<Caller> {
    const body = { name: 'platform', role: 'admin', scope: 'platform', organisation_id: id };
    return this.as(((await this.admin.post('/v1/tokens', body)).body as { raw_token: string }).raw_token);
  }

  async close(): Promise<void> {
    connections.destroy();
    await this.db.end();
    for (const app of [...this.replicas, this.app]) {
      // The service would wait for a request whose body it refused to read, and for a connection that never
      // sent one, until the client leaves.
      app.getHttpServer().closeAllConnections();
      await app.close();
    }
    await dropDatabase(testServer(), this.database.name);
  }
}
