import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { buildProfile } from './profiles';
import { Replicas, TOKEN } from './replicas';

interface Answered {
  readonly status: number;
  readonly body: JsonObject;
}

/** Callers that send requests about one profile to two processes at once. */
export class Racers {
  profile: { profile_id: string; compatibility_key: string } = { profile_id: '', compatibility_key: '' };

  private constructor(
    readonly replicas: Replicas,
    readonly callers: number,
  ) {}

  static async start(callers: number): Promise<Racers> {
    return new Racers(await Replicas.start(2), callers);
  }

  close(): Promise<void> {
    return this.replicas.close();
  }

  /** From now on they race for a new profile. */
  async newProfile(): Promise<void> {
    const profile = buildProfile(`profile-${newId()}`, { max_replicas: 2 });
    this.profile = (await this.send(0, 'POST', '/v1/inference/profiles', profile)).body as typeof this.profile;
  }

  /** A path of the profile. */
  of(what: string): string {
    return `/v1/inference/profiles/${this.profile.profile_id}/${what}`;
  }

  async send(caller: number, method: string, path: string, body?: JsonObject): Promise<Answered> {
    const answer = await fetch(`${this.replicas.of(caller).url}${path}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    // On a busy machine, a caller that waits a second for a connection is answered 503 and retries.
    // Only the final state is checked.
    if (answer.status === 503 && answer.headers.has('retry-after')) {
      await sleep(200);
      return this.send(caller, method, path, body);
    }
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as JsonObject };
  }

  all(call: (caller: number) => Promise<Answered>): Promise<Answered[]> {
    return Promise.all(Array.from({ length: this.callers }, (_, caller) => call(caller)));
  }

  /** Rows of the profile. */
  async rows<R extends pg.QueryResultRow>(table: string, columns: string): Promise<R[]> {
    const query = `select ${columns} from ${table} where profile_id = $1`;
    return (await this.replicas.db.query<R>(query, [this.profile.profile_id])).rows;
  }

  /** The number of the profile's events of a type. */
  async events(type: string): Promise<number> {
    const { rows } = await this.replicas.db.query<{ n: number }>(
      "select count(*)::int as n from outbox_events where event_type = $2 and payload ->> 'profile_id' = $1",
      [this.profile.profile_id, type],
    );
    return rows[0]?.n ?? 0;
  }
}
