import type pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { eventually } from '../support/eventually';
import { onThisMachine } from '../support/machine';
import { nodeResource, podResource } from '../support/workloads';
import { start, type Start } from '../support/start';
import { cloneDatabase, dropDatabase, poolOf, testServer } from '../support/test-server';

const INTERVAL_SECONDS = 10;
const POLICIES = 70;
/** The number of beats that each policy has to make. */
const WAVES = 3;
const BEATS = POLICIES * WAVES;

const TOKEN = `ccp_${'t'.repeat(43)}`;

describe('policies over several processes', () => {
  const processes: Start[] = [];
  let database: { name: string; url: string };
  let db: pg.Pool;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    db = poolOf(database.url);
  });
  afterAll(async () => {
    for (const process of processes) process.kill();
    await Promise.all(processes.map(({ exit }) => exit));
    await db.end();
    await dropDatabase(testServer(), database.name);
  });

  const run = (): Start => {
    const started = start({ DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN });
    processes.push(started);
    return started;
  };

  async function send(address: string, path: string, body: object): Promise<string> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text;
  }

  const beatsMade = async (): Promise<number> =>
    Number((await db.query('select count(*) from actions where policy_id is not null')).rows[0].count);

  /** Resolves after this many beats: in the middle of a wave, during rounds. */
  const made = (beats: number): Promise<void> =>
    eventually(async () => expect(await beatsMade()).toBeGreaterThanOrEqual(beats), 60_000);

  it(`make each of ${BEATS} due heartbeats one action while two of three processes are killed`, async () => {
    const first = run();
    const address = await first.address();
    const second = run();
    await second.address();

    const cluster = await send(address, '/v1/cluster', { cluster_name: 'two-processes' });
    const pods = Array.from({ length: POLICIES }, () => podResource({ uid: newId() }));
    await send(address, '/v1/cluster/sync/batch', {
      cluster_id: cluster,
      resources: [nodeResource('node-1'), ...pods],
    });
    const policies: string[] = [];
    for (const { metadata } of pods) {
      const pipeline = {
        trigger: { type: 'heartbeat', config: { interval_seconds: INTERVAL_SECONDS } },
        filter: { type: 'pods', config: { cluster_id: cluster, pod_ids: [metadata.uid] } },
        action: { type: 'checkpoint', config: { kind: 'simple' } },
      };
      policies.push(await send(address, '/v1/policy/pipeline/create', { pipeline }));
    }

    // Simulates nodes that finish at once, because a heartbeat skips workloads whose last action is open.
    await db.query(`
      create function done_at_once() returns trigger language plpgsql as $f$ begin
        new.status := 'error'; new.ended_at := clock_timestamp(); return new;
      end $f$`);
    await db.query('create trigger done_at_once before insert on actions for each row execute function done_at_once()');

    await made(POLICIES * 1.3);
    first.kill();
    const third = run();
    await third.address();
    await made(POLICIES * 2.3);
    second.kill();
    await made(BEATS + POLICIES * 0.3);
    third.kill();
    await third.exit;

    // Every moment of a policy's grid since the start has one action, and there is no other action.
    const { rows } = await db.query<{ policy: string; place: number; actions: number }>(`
        select a.policy_id as policy, round(extract(epoch from a.beat_at - p.next_at) / ${INTERVAL_SECONDS})::int as place,
          count(*)::int as actions
        from actions a join policies p on p.org_id = a.org_id and p.id = a.policy_id
        group by 1, 2, a.beat_at order by 1, 2`);
    const byPolicy = Map.groupBy(rows, ({ policy }) => policy);
    expect([...byPolicy.keys()].sort()).toEqual([...policies].sort());
    for (const beats of byPolicy.values()) {
      expect(beats.length).toBeGreaterThanOrEqual(WAVES);
      // Counted back from the next due beat.
      expect(beats).toEqual(beats.map((beat, index) => ({ ...beat, place: index - beats.length, actions: 1 })));
    }
    const { rows: firstBeats } = await db.query<{ late: number }>(
      'select max(extract(epoch from firstBeatsat - created_at))::float8 as late from (select p.created_at, min(a.beat_at) as firstBeatsat from policies p join actions a on a.policy_id = p.id group by p.id, p.created_at) x',
    );
    expect(firstBeats[0]?.late).toBeLessThan(INTERVAL_SECONDS + onThisMachine(0.5));
  });
});
