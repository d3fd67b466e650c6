import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { buildArtifact, buildProfile } from '../support/profiles';
import { seeded } from '../support/random';
import { start, type Start } from '../support/start';
import { cloneDatabase, dropDatabase, poolOf, testServer } from '../support/test-server';

const TOKEN = `ccp_${'r'.repeat(43)}`;
const CALLERS = 200;
const ROUNDS = 15;

interface Answered {
  status: number;
  body: JsonObject;
}

describe(`${CALLERS} callers over two processes`, () => {
  const processes: Start[] = [];
  let database: { name: string; url: string };
  let db: pg.Pool;
  let addresses: string[];
  let profileId: string;
  let profile: { profile_id: string; compatibility_key: string };

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    db = poolOf(database.url);
    for (let n = 0; n < 2; n++) {
      const started = start({ DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN });
      processes.push(started);
      // One after the other: the first one creates the organisation.
      addresses = [...(addresses ?? []), await started.address()];
    }
  });
  afterAll(async () => {
    for (const process of processes) process.kill();
    await Promise.all(processes.map(({ exit }) => exit));
    await db.end();
    await dropDatabase(testServer(), database.name);
  });
  beforeEach(async () => {
    profileId = `profile-${newId()}`;
    profile = (await send(0, 'POST', '/v1/inference/profiles', buildProfile(profileId, { max_replicas: 2 })))
      .body as typeof profile;
  });

  async function send(caller: number, method: string, path: string, body?: JsonObject): Promise<Answered> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${addresses[caller % addresses.length]}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    // On a busy machine, a caller that waits a second for a connection is answered 503 and retries.
    // Only the final state is checked.
    if (answer.status === 503 && answer.headers.has('retry-after')) {
      await sleep(200);
      return send(caller, method, path, body);
    }
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as JsonObject };
  }

  const all = (call: (caller: number) => Promise<Answered>): Promise<Answered[]> =>
    Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  const of = (what: string) => `/v1/inference/profiles/${profileId}/${what}`;
  const rows = async <R extends pg.QueryResultRow>(table: string, columns: string): Promise<R[]> =>
    (await db.query<R>(`select ${columns} from ${table} where profile_id = $1`, [profileId])).rows;
  const events = async (type: string): Promise<number> =>
    (
      await db.query<{ n: number }>(
        "select count(*)::int as n from outbox_events where event_type = $2 and payload ->> 'profile_id' = $1",
        [profileId, type],
      )
    ).rows[0]?.n ?? 0;

  it('with the same request leave one intent, one generation and one event', async () => {
    const answers = await all((caller) => send(caller, 'POST', of('state'), { desired_state: 'Active' }));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(202));
    expect(new Set(answers.map(({ body }) => `${String(body.id)} ${String(body.generation)}`)).size).toBe(1);
    expect(await rows('capacity_intents', 'generation::int, status')).toEqual([{ generation: 1, status: 'Pending' }]);
    expect(await events('capacity_intent.requested')).toBe(1);
  });

  it('with different requests leave a row for each, one of them pending', async () => {
    const random = seeded(7);
    const asks = [
      { desired_state: 'Suspended' },
      { desired_state: 'Active' },
      { desired_state: 'Active', desired_replicas: 2 },
    ];
    const chosen = Array.from({ length: CALLERS }, () => asks[Math.floor(random() * asks.length)] ?? {});
    const answers = await all((caller) => send(caller, 'POST', of('state'), chosen[caller]));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(202));
    const intents = await rows<{ status: string; generation: number; requested_at: Date }>(
      'capacity_intents',
      'status, generation::int, requested_at',
    );
    intents.sort((a, b) => a.generation - b.generation);
    expect(intents.map(({ status }) => status)).toEqual(['Superseded', 'Superseded', 'Pending']);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(asks.length);
    // The last wanted state was requested last; each generation is a request that changed the wanted state.
    const times = intents.map(({ requested_at: at }) => at.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const steps = intents.at(-1)?.generation ?? 0;
    expect(new Set(answers.map(({ body }) => body.generation)).size).toBe(steps);
    expect([await events('capacity_intent.requested'), await events('capacity_intent.superseded')]).toEqual([
      steps,
      steps - 1,
    ]);
  });

  it('that request a checkpoint or a restart get the open one, while attempts end', async () => {
    await send(0, 'POST', '/v1/inference/artifacts', buildArtifact(profile, `artifact-${newId()}`));
    let attempts = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const open = async () =>
        (await rows<{ request_id: string; status: string }>('checkpoint_requests', 'request_id, status')).filter(
          ({ status }) => status === 'pending' || status === 'running',
        );
      // In every other round, the open attempt ends in the middle of the requests.
      const [before] = await open();
      const ending =
        before && round % 2 === 1
          ? sleep(5 * round).then(() =>
              send(round, 'PATCH', of('checkpoint'), { request_id: before.request_id, status: 'failed' }),
            )
          : undefined;
      const answers = await all((caller) => send(caller, 'POST', of(caller % 3 ? 'checkpoint' : 'restart')));
      expect((await ending)?.status ?? 200).toBe(200);
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(202));
      const requested = new Set(answers.map(({ body }) => body.request_id));
      expect(requested.has(undefined)).toBe(false);
      // The open one, and the next if that one ended.
      expect(requested.size).toBeLessThanOrEqual(ending ? 2 : 1);
      expect((await open()).length).toBeLessThanOrEqual(1);
      attempts = (await rows('checkpoint_requests', 'request_id')).length;
    }
    expect(attempts).toBeGreaterThan(ROUNDS / 4);
    expect(await events('checkpoint_request.created')).toBe(attempts);
  });

  it('that report readiness close one start', async () => {
    const report = (caller: number, phase: string, ready: boolean) =>
      send(caller, 'POST', '/v1/inference/activations/report', {
        profile_id: profileId,
        desired_state: 'Active',
        phase,
        ready,
        observed_generation: 1,
      });
    await send(0, 'POST', of('state'), { desired_state: 'Active' });
    await report(0, 'Loading', false);
    const answers = await all((caller) => report(caller, 'Ready', true));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(CALLERS).fill(204));
    expect(await rows('starts', 'ready_at is not null as ready, ended_at is null as open')).toEqual([
      { ready: true, open: true },
    ]);
    expect(await rows('capacity_intents', 'status')).toEqual([{ status: 'Fulfilled' }]);
    expect(await events('capacity_intent.fulfilled')).toBe(1);
    expect(await rows('activation_phases', 'phase')).toHaveLength(2);
  });

  it('with any reports leave consecutive starts', async () => {
    const random = seeded(3);
    const phases = ['Pending', 'Loading', 'Ready', 'Suspended', 'Failed'];
    const chosen = Array.from({ length: CALLERS }, () => phases[Math.floor(random() * phases.length)] ?? 'Ready');
    const answers = await all((caller) =>
      send(caller, 'POST', '/v1/inference/activations/report', {
        profile_id: profileId,
        desired_state: 'Active',
        phase: chosen[caller] ?? 'Ready',
        ready: chosen[caller] === 'Ready',
      }),
    );
    // A report that met too many others is answered with 503 and repeated.
    expect(answers.filter(({ status }) => status !== 204 && status !== 503)).toEqual([]);
    const { rows: faults } = await db.query(
      `select id from (
         select id, began_at, ready_at, ended_at, lead(began_at) over (order by began_at, ended_at nulls last) as next_at
         from starts where profile_id = $1
       ) s where ended_at < began_at or ready_at < began_at or ended_at > next_at or (ended_at is null and next_at is not null)`,
      [profileId],
    );
    expect(faults).toEqual([]);
    const { rows: current } = await db.query(
      'select a.start_id, s.id from activations a left join starts s on s.profile_id = a.profile_id and s.ended_at is null where a.profile_id = $1',
      [profileId],
    );
    expect(current).toHaveLength(1);
    expect(current[0].start_id).toBe(current[0].id);
  });
});
