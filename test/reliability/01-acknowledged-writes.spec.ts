import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { newId } from '../../src/1-platform/common/ids';
import { coldProfile, createKey } from '../support/chat';
import { missing } from '../support/components';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { OwnPostgres } from '../support/own-postgres';
import { seeded } from '../support/random';
import { Replicas, TOKEN } from '../support/replicas';
import { call } from '../support/steady-load';
import { Writers } from '../support/writers';

const AUTHORIZE = '/v1/inference/router/authorize';
const KILLS = inForm(2, 100);
/** The goal on each server: a round waits for its share of them, unless this machine is too slow for it. */
const WRITES = inForm(100, 100_000);
const SHARE_WITHIN_MS = inForm(1_000, 10_000);
/** What is killed at once, in turn. */
const FAULTS = [
  { services: 1, database: false },
  { services: 0, database: true },
  { services: 1, database: true },
  { services: 2, database: true },
];
/** Of each kind of write. */
const CLIENTS = 8;
/** Requests of one client at a time. */
const WIDTH = 4;
const RUN_MS = 40 * 60_000;

/** The newest PostgreSQL, and in the long form the oldest one as well. */
const SERVERS: readonly { readonly on: string; readonly home?: string }[] = [
  { on: 'PostgreSQL 18' },
  ...(inForm(false, missing(['PostgreSQL 15']).length === 0)
    ? [{ on: 'PostgreSQL 15', home: '/usr/lib/postgresql/15' }]
    : []),
];

/** Profiles without exactly one event and one audit entry of their creation, and those without a profile. */
const HALF = `
  with events as (
    select aggregate_id as id, count(*) as count from outbox_events where event_type = 'profile.created' group by 1
  ), entries as (
    select resource_id as id, count(*) as count from audit_entries where action = 'create_profile' group by 1
  )
  select coalesce(p.profile_id, e.id, a.id) as id
  from profiles p
    full join events e on e.id = p.profile_id
    full join entries a on a.id = coalesce(p.profile_id, e.id)
  where p.profile_id is null or e.count is distinct from 1 or a.count is distinct from 1`;

/**
 * Keys whose reserved amount is not that of their authorizations, and authorizations without exactly one
 * reserving entry. A statement for each of many thousand rows would take minutes.
 */
const UNSOUND = `
  select k.id from inference_keys k left join (
    select key_id, sum(reserved_usd) as usd from authorizations where settled_at is null group by 1
  ) open on open.key_id = k.id where k.reserved_usd <> coalesce(open.usd, 0)
  union all
  select coalesce(z.id, e.authorization_id) from authorizations z full join (
    select authorization_id, count(*) as count from ledger_entries where kind = 'reserve' group by 1
  ) e on e.authorization_id = z.id where z.id is null or e.count is distinct from 1`;

/** Authorizations that were acknowledged, and have no row with its entry in the ledger. */
const LOST = `
  select asked.id from unnest($1::text[]) asked(id) where not exists (
    select from authorizations z join ledger_entries e on e.org_id = z.org_id and e.authorization_id = z.id and e.kind = 'reserve'
    where z.request_id = asked.id)`;

/** Clients that ask for authorizations without a pause, and repeat none. */
class Routers {
  readonly acknowledged: string[] = [];
  private stopping = false;
  private readonly loops: Promise<void>[];

  constructor(replicas: Replicas, key: string, model: string) {
    this.loops = Array.from({ length: CLIENTS * WIDTH }, async (_, client) => {
      for (let n = client; !this.stopping; n++) {
        const request_id = newId();
        const { status } = await call(replicas.of(n), AUTHORIZE, { request_id, logical_model: model }, key);
        if (status === 200) this.acknowledged.push(request_id);
        else await sleep(20);
      }
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.loops);
  }
}

describe.each(SERVERS)('an acknowledged write on $on', ({ on, home }) => {
  let postgres: OwnPostgres;
  let replicas: Replicas;

  beforeAll(async () => {
    postgres = await OwnPostgres.create(tmpdir(), home === undefined ? {} : { home });
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 2, { LOG_LEVEL: 'fatal' });
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  it(
    `outlives ${KILLS} kills of the service and of PostgreSQL, whole`,
    async () => {
      const org = replicas.organisation();
      const model = await replicas.routeTo([await coldProfile(org)]);
      const { raw_key: key } = await createKey(org, { budget_usd: 1_000_000 });
      const random = seeded(SEED);
      const writers = new Writers(replicas.all, TOKEN, CLIENTS);
      const routers = new Routers(replicas, key, model);
      const count = (): number => routers.acknowledged.length + writers.written.length;
      const healthy: number[] = [];
      const killed = { service: 0, database: 0 };
      for (let round = 0; killed.service + killed.database < KILLS; round++) {
        const [share, until] = [killed.service + killed.database + 1, performance.now() + SHARE_WITHIN_MS];
        while (count() < (WRITES * share) / KILLS && performance.now() < until) await sleep(50);
        await sleep(random() * 700);
        const { services, database } = FAULTS[round % FAULTS.length] ?? { services: 0, database: false };
        const victims = Array.from({ length: services }, (_, n) => replicas.of(round + n));
        const killedAt = performance.now();
        for (const { process } of victims) process.kill();
        if (database) await postgres.kill();
        // At once, as supervisors do: that of the service does not know whether its database recovers.
        const restarts = victims.map((victim) => replicas.replace(victim));
        await Promise.all(database ? [...restarts, postgres.start()] : restarts);
        killed.service += services;
        killed.database += database ? 1 : 0;
        await eventually(() => expect(writers.healthyAfter(killedAt)).toBeDefined(), 60_000);
        healthy.push((writers.healthyAfter(killedAt) ?? Infinity) - killedAt);
      }
      await routers.stop();
      await writers.stop();

      const attack = `${killed.service} kills of the service and ${killed.database} of PostgreSQL, seed ${SEED}`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 1, attack, measure, value, unit, bound, on });
      const { acknowledged } = routers;
      await replicas.db.query('analyze');
      const { rows: stored } = await replicas.db.query<{ id: string }>('select profile_id as id from profiles');
      const known = new Set(stored.map(({ id }) => id));
      const lost = writers.written.filter(({ profileId }) => !known.has(profileId)).length;
      const { rowCount: unauthorized } = await replicas.db.query(LOST, [acknowledged]);
      record('lost', lost + (unauthorized ?? 0), { atMost: 0 });
      const { rows: half } = await replicas.db.query(HALF);
      const { rows: unsound } = await replicas.db.query(UNSOUND);
      record('half done', half.length + unsound.length, { atMost: 0 });
      record('acknowledged writes', count(), { atLeast: inForm(100, 50_000) });
      record('kills', killed.service + killed.database, { atLeast: KILLS });
      record('events without a gap, in order', writers.createdProfiles, { atLeast: writers.written.length });
      record('longest time to the next write', Math.max(...healthy), { atMost: 30_000 }, 'ms');
      expect({ half, unsound, violations: writers.violations }).toEqual({ half: [], unsound: [], violations: [] });
    },
    RUN_MS,
  );
});
