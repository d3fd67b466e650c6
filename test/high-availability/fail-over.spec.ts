import { setTimeout as sleep } from 'node:timers/promises';
import { asAdmin } from '../support/test-server';
import { describeWith } from '../support/components';
import { eventually } from '../support/eventually';
import type { Replica } from '../support/replicas';
import { start } from '../support/start';
import { percentile, printFigures, recordFigure, type Figure } from '../support/figures';
import { PatroniCluster, type Failure } from './patroni-cluster';
import { Writers } from '../support/writers';

const TOKEN = `ccp_${'h'.repeat(43)}`;
const CLIENTS = 8;
/** In turn. The machine's lease of 20 s must expire; where PostgreSQL alone dies, Patroni sees it at once. */
const FAILURES: readonly Failure[] = ['machine', 'postgres', 'machine', 'postgres', 'machine', 'postgres'];
const HEALTHY_WITHIN_S = { machine: 40, postgres: 20 } as const;
const LOAD_MS = 3_000;
const RUN_MS = 20 * 60_000;

const STORED = 'select profile_id, count(*)::int as count from profiles group by 1';
const EVENTS = `
  select event_id::int as id, event_type as type, aggregate_id as profile_id from outbox_events order by event_id`;

describeWith(['Patroni', 'PostgreSQL 15'], 'a primary that is killed under load', () => {
  let cluster: PatroniCluster;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    cluster = await PatroniCluster.start();
    for (let n = 0; n < 2; n++) {
      const process = start({ DATABASE_URL: cluster.url, BOOTSTRAP_TOKEN: TOKEN, LOG_LEVEL: 'fatal' });
      replicas.push({ process, url: await process.address() });
    }
  }, RUN_MS);
  afterAll(async () => {
    for (const { process } of replicas) process.kill();
    await Promise.all(replicas.map(({ process }) => process.exit));
    await cluster?.stop();
    printFigures();
  });

  it(
    'loses no acknowledged write and duplicates none, keeps the order of events, and serves again by itself',
    async () => {
      const writers = new Writers(replicas, TOKEN, CLIENTS);
      const healthy: Record<Failure, number[]> = { machine: [], postgres: [] };
      await eventually(() => expect(writers.written.length).toBeGreaterThan(0));
      for (const failure of FAILURES) {
        await sleep(LOAD_MS);
        const killed = await cluster.killPrimary(failure);
        const killedAt = performance.now();
        await eventually(() => expect(writers.healthyAfter(killedAt)).toBeDefined(), 120_000);
        healthy[failure].push(((writers.healthyAfter(killedAt) ?? Infinity) - killedAt) / 1_000);
        if (failure === 'machine') cluster.revive(killed);
        await cluster.isWhole();
      }
      await sleep(LOAD_MS);
      await writers.stop();
      expect(replicas.map(({ process }) => process.ended)).toEqual([false, false]);

      const { stored, events } = await asAdmin(cluster.adminUrl, async (client) => ({
        stored: (await client.query<{ profile_id: string; count: number }>(STORED)).rows,
        events: (await client.query<{ id: number; type: string; profile_id: string }>(EVENTS)).rows,
      }));
      const acknowledged = new Set(writers.written.map(({ profileId }) => profileId));
      const found = new Map(stored.map(({ profile_id: id, count }) => [id, count]));
      const created = events.filter(({ type }) => type === 'profile.created').map(({ profile_id: id }) => id);
      const attack = `${FAILURES.length} fail-overs, ${acknowledged.size} acknowledged writes`;
      const record = (figure: Figure): void => recordFigure({ row: 1, on: 'PostgreSQL 15', ...figure });
      const none = (measure: string, value: number): void =>
        record({ attack, measure, value, unit: '', bound: { atMost: 0 } });
      none('acknowledged and lost', [...acknowledged].filter((id) => !found.has(id)).length);
      none('stored twice', [...found.values()].filter((count) => count !== 1).length);
      none('stored and never acknowledged', [...found.keys()].filter((id) => !acknowledged.has(id)).length);
      none('events beyond one for each profile', created.length - new Set(created).size);
      none('profiles without an event', [...found.keys()].filter((id) => !created.includes(id)).length);
      none('gaps in the numbers of events', events.filter(({ id }, place) => id !== place + 1).length);
      const delivered = writers.events.map(({ id, aggregate_id: of }) => `${id} ${of}`);
      none(
        'events delivered other than stored',
        events.filter(({ id, profile_id: of }, place) => delivered[place] !== `${id} ${of}`).length,
      );
      for (const [failure, seconds] of Object.entries(healthy)) {
        const bound = { atMost: HEALTHY_WITHIN_S[failure as Failure] };
        const killed = `kill -9 of ${failure === 'machine' ? 'the whole machine' : 'PostgreSQL alone'}`;
        record({
          attack: killed,
          measure: 'healthy after, median',
          value: percentile(seconds, 0.5),
          unit: 's',
          bound,
        });
        record({
          attack: killed,
          measure: 'healthy after, longest',
          value: Math.max(...seconds),
          unit: 's',
          bound,
        });
      }
      const refused = Object.values(writers.refusals).reduce((sum, count) => sum + count, 0);
      record({ attack, measure: 'refusals, all repeated', value: refused, unit: '', bound: { atLeast: 1 } });
      expect(writers.violations).toEqual([]);
    },
    RUN_MS,
  );
});
