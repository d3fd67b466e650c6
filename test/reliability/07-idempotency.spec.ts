import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { buildArtifact, buildProfile } from '../support/profiles';
import { seeded } from '../support/random';
import { Replicas, TOKEN, type Reply } from '../support/replicas';
import { call, NO_ANSWER } from '../support/steady-load';

const CALLERS = 50;
const ROUNDS = inForm(1, 6);
const RUN_MS = 10 * 60_000;

/** A request that creates something, and how often that exists afterwards. */
interface Creation {
  readonly path: string;
  readonly body: JsonObject;
  readonly count: string;
}

/** Operations of every wing. Each body is used once. */
const creations = (profile: { profile_id: string; compatibility_key: string }, podId: string): Creation[] => {
  const name = `n-${newId()}`;
  const named = (table: string, column = 'name') =>
    `select count(*)::int as n from ${table} where ${column} = '${name}'`;
  return [
    { path: '/v1/cluster', body: { cluster_name: name }, count: named('clusters') },
    { path: '/v1/tokens', body: { name, role: 'viewer' }, count: named('access_tokens') },
    { path: '/v1/checkpoints', body: { name }, count: named('checkpoints') },
    {
      path: '/v1/checkpoint/pod',
      body: { pod_id: podId },
      count: `select count(*)::int as n from actions where pod_uid = '${podId}'`,
    },
    { path: '/v1/inference/profiles', body: buildProfile(name), count: named('profiles', 'profile_id') },
    { path: '/v1/inference/artifacts', body: buildArtifact(profile, name), count: named('artifacts', 'artifact_id') },
    { path: '/v1/inference/keys', body: { name }, count: named('inference_keys') },
    {
      path: '/v1/inference/experiments',
      body: { name, scenario: 'cold', profile_id: profile.profile_id },
      count: named('experiments'),
    },
    {
      path: '/v1/inference/fleets',
      body: { name, logical_model: 'llama-8b', profile_ids: [profile.profile_id] },
      count: named('fleets'),
    },
  ];
};

describe(`${CALLERS} requests with one Idempotency-Key at two processes, one of which is killed`, () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start(2, { LOG_LEVEL: 'fatal' });
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  /** Repeats a request until it is answered, as clients do. */
  async function insist(caller: number, { path, body }: Creation, headers: Record<string, string>): Promise<Reply> {
    for (let attempt = caller; ; attempt++) {
      const reply = await call(replicas.of(attempt), path, body, TOKEN, headers);
      const wait = reply.status === NO_ANSWER || reply.status === 503 || reply.status === 409;
      if (!wait) return reply;
      await sleep(50);
    }
  }

  it(
    'have one effect and one reply',
    async () => {
      const org = replicas.organisation(replicas.of(0));
      const profile = (await org.operator.post('/v1/inference/profiles', buildProfile(`p-${newId()}`)))
        .body as Parameters<typeof creations>[0];
      const clusterId = (await org.operator.post('/v1/cluster', { cluster_name: `c-${newId()}` })).text;
      const random = seeded(SEED);
      const faults: unknown[] = [];
      let [requests, operations, kills] = [0, 0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        const uid = newId();
        const metadata = { name: `pod-${uid}`, namespace: 'default', uid };
        const resource = {
          type: 'Pod',
          kind: 'Pod',
          metadata,
          spec: { containers: [{ name: 'main' }] },
          status: { phase: 'Running' },
        };
        const org = replicas.organisation(replicas.of(0));
        await org.controller.post('/v1/cluster/sync', { cluster_id: clusterId, resource });
        const all = creations(profile, uid);
        operations = all.length;
        const sent = all.map(async (creation) => {
          const headers = { 'idempotency-key': newId() };
          const replies = await Promise.all(
            Array.from({ length: CALLERS }, async (_, caller) => {
              await sleep(random() * 400);
              return insist(caller, creation, headers);
            }),
          );
          requests += replies.length;
          const texts = new Set(replies.map(({ status, text }) => `${status} ${text}`));
          const other = await insist(0, { ...creation, body: { ...creation.body, name: 'other' } }, headers);
          const { rows } = await replicas.db.query<{ n: number }>(creation.count);
          if (
            texts.size !== 1 ||
            (replies[0]?.status ?? 500) >= 300 ||
            rows[0]?.n !== 1 ||
            ![400, 422].includes(other.status)
          )
            faults.push({ path: creation.path, texts: [...texts].slice(0, 3), n: rows[0]?.n, other: other.status });
        });
        // In the middle of the requests.
        await sleep(150 + random() * 200);
        const victim = replicas.of(1);
        victim.process.kill();
        kills++;
        await replicas.replace(victim);
        await Promise.all(sent);
      }
      const attack = `${requests} requests of ${operations} operations, ${kills} kills, seed ${SEED}`;
      recordFigure({
        row: 7,
        attack,
        measure: 'keys with another effect or reply',
        value: faults.length,
        unit: '',
        bound: { atMost: 0 },
      });
      recordFigure({ row: 7, attack, measure: 'kills', value: kills, unit: '', bound: { atLeast: inForm(1, 2) } });
      expect(faults).toEqual([]);
    },
    RUN_MS,
  );
});
