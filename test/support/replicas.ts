import type pg from 'pg';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { routeTo } from './chat';
import { eventually } from './eventually';
import { Caller, type Organisation } from './service';
import { startBuilt, type Start } from './start';
import { cloneDatabase, dropDatabase, poolOf, testServer } from './test-server';

export const TOKEN = `ccp_${'p'.repeat(43)}`;

/** One process of the service. */
export interface Replica {
  readonly process: Start;
  readonly url: string;
}

/** The database of replicas, which they drop at the end. */
interface ReplicasDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Processes of the service on one database, each started like in production. */
export class Replicas {
  readonly all: Replica[] = [];

  private constructor(
    private readonly database: ReplicasDatabase,
    private readonly variables: Record<string, string>,
    /** A connection that sees every row, for set-up and checks. */
    readonly db: pg.Pool,
  ) {}

  static async start(count: number, variables: Record<string, string> = {}): Promise<Replicas> {
    const { name, url } = await cloneDatabase(testServer());
    return Replicas.on({ url, drop: () => dropDatabase(testServer(), name) }, count, variables);
  }

  static async on(
    database: ReplicasDatabase,
    count: number,
    variables: Record<string, string> = {},
  ): Promise<Replicas> {
    const replicas = new Replicas(database, variables, poolOf(database.url));
    // One after the other: the first one creates the organisation.
    for (let n = 0; n < count; n++) await replicas.add();
    return replicas;
  }

  /**
   * Starts another process.
   * @param variables in addition to those of all
   */
  async add(variables: Record<string, string> = {}, how?: Parameters<typeof startBuilt>[1]): Promise<Replica> {
    const all = { DATABASE_URL: this.database.url, BOOTSTRAP_TOKEN: TOKEN, ...this.variables, ...variables };
    const process = startBuilt(all, how);
    try {
      const replica = { process, url: await process.address() };
      this.all.push(replica);
      return replica;
    } catch (error) {
      process.kill();
      throw error;
    }
  }

  /** Starts a process in the place of one that has ended. */
  async replace(ended: Replica): Promise<void> {
    await ended.process.exit;
    const added = await this.add();
    this.all.splice(this.all.indexOf(added), 1);
    this.all.splice(this.all.indexOf(ended), 1, added);
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** Returns the processes in turn. */
  of(caller: number): Replica {
    const replica = this.all[caller % this.all.length];
    if (!replica) throw new Error('no replica was started');
    return replica;
  }

  /** The default organisation, served by one of the processes: its admin has every role's permissions. */
  organisation({ url } = this.of(0)): Organisation {
    const admin = new Caller(url, TOKEN);
    return { id: '', admin, operator: admin, viewer: admin, controller: admin };
  }

  /**
   * A route to profiles in this order, which every process knows; the others learn of it with a short delay.
   * @returns the name of its model
   */
  async routeTo(profileIds: readonly string[], overrides: JsonObject = {}): Promise<string> {
    const model = await routeTo(this.organisation(), profileIds, overrides);
    for (const replica of this.all) {
      if (replica.process.ended) continue;
      await eventually(async () => {
        const { body } = await this.organisation(replica).viewer.get('/v1/inference/models');
        expect((body as { data: JsonObject[] }).data.map(({ id }) => id)).toContain(model);
      });
    }
    return model;
  }

  /**
   * Closes the connections over which replicas receive notifications: these are lost until the connections
   * are open again.
   * @returns how many there were
   */
  async deafen(): Promise<number> {
    const { rowCount } = await this.db.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and query like 'listen %' and application_name = 'checkpoint-control-plane'`,
    );
    return rowCount ?? 0;
  }

  /** Resolves when every replica receives notifications again. */
  async hearing(): Promise<void> {
    await eventually(async () => {
      const { rows } = await this.db.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
         where datname = current_database() and query like 'listen %' and state = 'idle' and application_name = 'checkpoint-control-plane'`,
      );
      expect(rows[0]?.count).toBe(this.all.filter(({ process }) => !process.ended).length);
    }, 30_000);
  }

  async close(): Promise<void> {
    for (const { process } of this.all) process.kill();
    await Promise.all(this.all.map(({ process }) => process.exit));
    await this.db.end();
    await this.database.drop();
  }
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** A time of `performance.now`. */
  readonly askedAt: number;
  readonly answeredAt: number;
}

/** Uses keep-alive connections, as a gateway does. @param body omitted for a GET */
export async function ask(
  { url }: Pick<Replica, 'url'>,
  bearer: string,
  path: string,
  body?: JsonObject,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const askedAt = performance.now();
  const answer = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, askedAt, answeredAt: performance.now() };
}

/** The number of answers by status. */
export function tally(replies: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
