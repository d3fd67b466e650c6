import type { PoolClient } from 'pg';
import { newId } from '../../../../src/1-platform/common/ids';
import type { Slice } from '../../../../src/1-platform/common/answers/paging';
import type { Statement, Values } from '../../../../src/1-platform/database/transactions/statement';
import type { Tx } from '../../../../src/1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../../src/1-platform/database/transactions/unit-of-work';
import { forgetUsage } from '../../../../src/5-traffic/usage/usage.queries';
import type { ReportWindow } from '../../../../src/6-insight/analytics/report-window.queries';
import { costBreakdown, type CostRow } from '../../../../src/6-insight/cost-reports/cost-breakdown.queries';
import { sumUsd, usd } from '../../../../src/6-insight/cost-reports/cost-report';
import { costSums, trafficOf } from '../../../../src/6-insight/cost-reports/cost-report.queries';
import { WorkerSums } from '../../../../src/6-insight/cost-reports/worker-sums/worker-sums';
import { costRows, saveRates, windowOfAll } from '../../../support/costs';
import { DAY, HOUR, MINUTE } from '../../../support/durations';
import { inForm } from '../../../support/form';
import { saveRoute, targetsOf } from '../../../support/inference';
import { createProfile } from '../../../support/profiles';
import { namesOf } from '../../../support/plans';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import { ALWAYS_BUSY, batched, between, historyOf, momentOf, pick, shuffled } from '../../../support/usage-history';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { ok } from '../../../support/workloads';

const PROFILES = ['p', 'q', 'NULL', 'p,q', ALWAYS_BUSY];
const EXPERIMENTS = [newId()];
/** Of a millisecond at these rates, no cost has more decimals than an amount. */
const RATES = [3.6, 0.36, 36];

/** The costs of requests and of workers without any sums, in the same transaction. */
const PLAIN = `
  with used as (
    select u.*, coalesce(u.meant_for_profile_id, (
      select t.profile_id from route_targets t join profiles p using (org_id, profile_id)
      where t.org_id = $org_id and t.logical_model = u.logical_model and t.enabled and p.enabled
      order by t.priority, t.position limit 1
    )) as wanted
    from usage_records u where org_id = $org_id and occurred_at >= $from and occurred_at < $to
      and ($experiment_id::uuid is null or experiment_id = $experiment_id)
  )
  select p.profile_id,
    (select coalesce(sum(coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)), 0)::text from used u
      where u.profile_id = p.profile_id) as tokens,
    (select round(coalesce(sum(backend_ms * c.node_hourly_usd), 0) / 3600000, 12)::text
      from used u join cost_rates c on c.org_id = $org_id and c.profile_id = u.profile_id
      where u.wanted = p.profile_id and u.profile_id <> p.profile_id and u.fallback_used) as fallback_usd,
    (select count(*)::int from starts s where s.org_id = $org_id and s.profile_id = p.profile_id
      and s.began_at >= $from and s.began_at < $to) as starts,
    (select coalesce(sum(extract(epoch from least(s.ended_at, $to) - greatest(s.began_at, $from)) * 1000), 0)::float8
      from starts s where s.org_id = $org_id and s.profile_id = p.profile_id and s.began_at < $to
        and (s.ended_at is null or s.ended_at > $from)) as node_ms,
    (select coalesce(sum(upper(b) - lower(b)), 0)::float8 from unnest((
      select range_agg(int8range(ended_ms - least(backend_ms, 86400000), ended_ms)) from (
        select backend_ms, (extract(epoch from occurred_at) * 1000)::bigint
          + greatest(coalesce(end_to_end_ms, queue_ms + backend_ms), backend_ms) as ended_ms
        from usage_records u where org_id = $org_id and u.profile_id = p.profile_id and backend_ms > 0
          and ($experiment_id::uuid is null or experiment_id = $experiment_id)
        union all
        select classifier_ms, (extract(epoch from occurred_at) * 1000)::bigint + classifier_ms
        from usage_records u where org_id = $org_id and u.classifier_profile_id = p.profile_id
          and classifier_ms > 0 and ($experiment_id::uuid is null or experiment_id = $experiment_id)
      ) ended
    ) * int8multirange(int8range((extract(epoch from $from) * 1000)::bigint,
      (extract(epoch from $to) * 1000)::bigint))) b) as active_ms
  from profiles p where p.org_id = $org_id order by p.profile_id`;

const AMOUNTS = [
  'compute_usd',
  'storage_usd',
  'transfer_usd',
  'used_usd',
  'starting_usd',
  'warm_idle_usd',
  'release_usd',
] as const;

const PLAIN_SUMS = `
  with dearest as (
    select distinct on (t.logical_model) t.logical_model, t.profile_id
    from route_targets t join profiles p using (org_id, profile_id)
    left join cost_rates c using (org_id, profile_id)
    where t.org_id = $org_id and t.enabled and p.enabled
    order by t.logical_model, c.node_hourly_usd desc nulls last, t.priority, t.position
  )
  select coalesce(sum(1 + u.repeated), 0)::int as requests,
    coalesce(sum(1 + u.repeated) filter (where u.status_code >= 400 and u.status_code <> 499), 0)::int as refusals,
    count(*) filter (where d.profile_id is not null)::int as escalations, count(u.ttft_ms)::int as ttft_count,
    avg(u.ttft_ms)::float8 as avg_ttft_ms
  from usage_records u left join dearest d on d.logical_model = u.logical_model and d.profile_id = u.profile_id
  where u.org_id = $org_id and u.occurred_at >= $from and u.occurred_at < $to
    and ($experiment_id::uuid is null or u.experiment_id = $experiment_id)
    and ($profile_id::text is null or u.profile_id = $profile_id)`;

/** What PLAIN also shows. In an experiment, workers count by its time, which no row here has. */
const shown =
  ({ experimentId }: ReportWindow) =>
  (row: Pick<CostRow, 'profile_id' | 'tokens' | 'fallback_usd'>) => ({
    profile_id: row.profile_id,
    tokens: row.tokens,
    active_ms: (row as CostRow).active_ms,
    // An amount without any cost has no decimals there.
    fallback_usd: Number(row.fallback_usd),
    ...(experimentId === null && {
      starts: 'starts' in row ? row.starts : (row as CostRow).activation_count,
      node_ms: (row as CostRow).node_ms,
    }),
  });

/** What a report adds up of the breakdown. */
const sumsShown = (
  rows: readonly (Pick<CostRow, (typeof AMOUNTS)[number]> & Pick<CostRow, 'node_ms' | 'idle_ms'>)[],
) => ({
  node_ms: rows.reduce((sum, { node_ms: ms }) => sum + ms, 0),
  idle_ms: rows.reduce((sum, { idle_ms: ms }) => sum + ms, 0),
  amounts: AMOUNTS.map((name) => sumUsd(rows, (row) => usd(row[name]))),
});

describe('costs', () => {
  let service: Service;
  let second: Service['app'];
  let org: Organisation;
  beforeAll(async () => {
    service = await Service.start({ usageRetentionDays: 36_500 });
    second = (await service.replica()).app;
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    org = await service.organisation();
    for (const [place, id] of PROFILES.entries()) {
      await createProfile(org, { profile_id: id });
      if (place < RATES.length) await saveRates(org, id, { node: RATES[place]! });
    }
    // One of the models of a history. Its first target, and dearest one, is disabled.
    const [first, ...others] = targetsOf('NULL', 'q', 'p');
    ok(await saveRoute(org.operator, 'm', { targets: [{ ...first, enabled: false }, ...others] }));
  });

  /** Both in one snapshot. */
  const compare = (window: ReportWindow): Promise<void> =>
    service.app.get(UnitOfWork).read({ orgId: org.id }, async (tx: Tx) => {
      const values = {
        org_id: org.id,
        from: window.from,
        to: window.to,
        experiment_id: window.experimentId,
        profile_id: window.profileId,
      };
      const plain = (await tx.query<CostRow>(PLAIN, values)).filter(
        ({ profile_id: id }) => window.profileId === null || id === window.profileId,
      );
      const rows = await costBreakdown(tx, window);
      expect({ window, rows: rows.map(shown(window)) }).toEqual({ window, rows: plain.map(shown(window)) });
      const [sums] = await tx.query(PLAIN_SUMS, values);
      const { heavy, tokens, ...traffic } = await trafficOf(tx, window);
      expect({ window, traffic }).toEqual({ window, traffic: sums });
      expect({ window, tokens }).toEqual({
        window,
        tokens: String(rows.reduce((sum, row) => sum + BigInt(row.tokens), 0n)),
      });
      const { prices, ...summed } = await costSums(tx, window, heavy);
      expect({ window, summed: sumsShown([summed]) }).toEqual({ window, summed: sumsShown(rows) });
      const heavyIds = heavy.map(({ profile_id: id }) => id);
      const others = rows.filter(({ profile_id: id }) => !heavyIds.includes(id));
      const shownIds = others
        .filter(({ priced_at: at, node_ms: ms }) => at !== null || ms > 0)
        .map((row) => row.profile_id);
      expect({ window, ids: prices.map(({ profile_id: id }) => id) }).toEqual({ window, ids: shownIds.toSorted() });
      const heavyRows = rows.filter(({ profile_id: id }) => heavyIds.includes(id));
      expect([summed.heavy_active_ms, summed.heavy_activation_count]).toEqual([
        heavyRows.reduce((sum, { active_ms: ms }) => sum + ms, 0),
        heavyRows.reduce((sum, { activation_count: count }) => sum + count, 0),
      ]);
      const pages = [await costBreakdown(tx, window, { offset: 0, limit: 1 })];
      pages.push(await costBreakdown(tx, window, { offset: 2, limit: 9 }));
      expect({ window, pages }).toEqual({ window, pages: [rows.slice(0, 2), rows.slice(2)] });
    });

  /** A busy half hour, within which a window may begin or end: there are several requests in each minute. */
  const busy = (now: number): readonly [number, number] => [now - 2 * DAY, now - 2 * DAY + HOUR / 2];
  const history = (seed: number, now: number, days: number): Request[] => [
    ...historyOf(seed, inForm(200, 500), [now - days * DAY, now], EXPERIMENTS),
    ...historyOf(-seed, inForm(200, 500), busy(now), EXPERIMENTS),
  ];

  /** Of any length, and any moment: most cut a sum. */
  const windowOf = (random: () => number, earliest: number, now: number): ReportWindow => {
    const to = pick(random, [now, momentOf(random, earliest, now), momentOf(random, ...busy(now))]);
    const length = pick(random, [1, 50_000, 40 * MINUTE, 5 * HOUR, DAY, 3 * DAY, 12 * DAY, 35 * DAY]);
    return {
      ...windowOfAll(Math.max(earliest, to - between(random, Math.floor(length / 2), length)), to),
      profileId: random() < 0.7 ? null : pick(random, PROFILES),
      experimentId: random() < 0.8 ? null : pick(random, EXPERIMENTS),
    };
  };

  const start = (db: Pick<PoolClient, 'query'>, random: () => number, from: number, to: number) => {
    const began = momentOf(random, from, to);
    return db.query(
      `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, ended_at, pod_uid)
       values ($1, $2, $3, 0, $4, true, $4, $5, $2)`,
      [org.id, newId(), pick(random, PROFILES), new Date(began), new Date(began + between(random, 0, 9 * HOUR))],
    );
  };

  it.each(inForm([71], [71, 72, 73, 74]))(
    'equal those without sums at any moment, while two replicas sum, others report late and prices change; seed %i',
    async (seed) => {
      const random = seeded(seed);
      const now = Date.now();
      const earliest = now - 40 * DAY;
      const requests = shuffled(random, history(seed, now, 40));
      const batches = batched(random, requests, 20);
      let writing = true;
      const writer = async (mine: readonly Request[][]): Promise<void> => {
        const client = await service.db.connect();
        try {
          for (const batch of mine) {
            await client.query("begin; set local app.system = 'on'");
            await writeRequests(client, org, ...batch);
            await start(client, random, earliest, now - 10 * HOUR);
            await client.query('commit');
            if (random() < 0.3) await saveRates(org, pick(random, PROFILES), { node: pick(random, RATES) });
          }
        } finally {
          client.release();
        }
      };
      const sums = async (app: Service['app']): Promise<void> => {
        while (writing) await app.get(WorkerSums).run({ orgId: org.id }, Infinity, 2);
      };
      const reader = async (): Promise<void> => {
        while (writing) await compare(windowOf(random, earliest, now));
      };
      const writers = [0, 1].map((place) => writer(batches.filter((_batch, n) => n % 2 === place)));
      await Promise.all([
        Promise.all(writers).finally(() => (writing = false)),
        sums(service.app),
        sums(second),
        reader(),
      ]);
      for (let times = 0; times < inForm(15, 60); times++) await compare(windowOf(random, earliest, now));
    },
  );

  it.each([
    ['those of everything', null, ''],
    ['those of an experiment', newId(), '-of-experiment'],
  ])('%s are read by statements that PostgreSQL plans once for each connection', async (_of, experimentId, ofIt) => {
    const window = { ...windowOfAll(Date.now() - DAY, Date.now()), experimentId };
    const sums = ['cost-profiles', 'worker-sums-last', 'worker-sums-summed'];
    expect(await namesOf(service, org, (tx) => costBreakdown(tx, window))).toEqual([
      ...sums,
      `cost-traffic${ofIt}`,
      'cost-workers',
      'cost-breakdown',
    ]);
    expect(await namesOf(service, org, (tx) => trafficOf(tx, window))).toEqual([`cost-report-traffic${ofIt}`]);
    expect(await namesOf(service, org, (tx) => costSums(tx, window, []))).toEqual([
      ...sums,
      `cost-busy${ofIt}`,
      'cost-workers',
      'cost-report-sums',
    ]);
  });

  it('are summed from the requests of the profiles that they are asked for, and no others', async () => {
    const served = ['p', 'q', ALWAYS_BUSY];
    const requests = served.map((profile_id) => buildRequest(Date.now() - HOUR, { profile_id }));
    await writeRequests(service.db, org, ...requests);
    const all = windowOfAll(Date.now() - DAY, Date.now());
    const summed = async (window: ReportWindow, page?: Slice): Promise<string[]> => {
      let traffic = '';
      await service.app.get(UnitOfWork).read({ orgId: org.id }, (tx) => {
        const prepared = (statement: Statement, values: Values) => {
          if (statement.name === 'cost-breakdown') traffic = values.traffic as string;
          return tx.prepared(statement, values);
        };
        return costBreakdown(Object.create(tx, { prepared: { value: prepared } }) as Tx, window, page);
      });
      return (JSON.parse(traffic) as CostRow[]).map(({ profile_id: id }) => id).toSorted();
    };
    expect(await summed(all)).toEqual(served.toSorted());
    expect(await summed({ ...all, profileId: 'q' })).toEqual(['q']);
    const order = (await costRows(service, org.id, all)).map(({ profile_id: id }) => id);
    // One more than the page, which shows that there is a next one.
    const paged = order.slice(1, 3).filter((id) => served.includes(id));
    expect(await summed(all, { offset: 1, limit: 1 })).toEqual(paged.toSorted());
  });

  it('equal those without sums after requests without a report were taken out, and old ones deleted', async () => {
    const random = seeded(75);
    const now = Date.now();
    const requests = history(75, now, 60);
    const unreported = requests
      .slice(0, 100)
      .map(({ at }) => buildRequest(at, { profile_id: 'p', logical_model: 'm' }));
    await writeRequests(service.db, org, ...requests, ...unreported);
    const ids = unreported.map(({ request_id: id }) => id);
    await service.db.query('update usage_records set unreported = true where org_id = $1 and request_id = any($2)', [
      org.id,
      ids,
    ]);
    await service.db.query('select take_out_unreported_usage($1, $2)', [ids.map(() => org.id), ids]);
    const unitOfWork = service.app.get(UnitOfWork);
    while ((await unitOfWork.system('tests', (tx) => forgetUsage(tx, 30, 300))) > 0);
    // The time by which it was deleted is later.
    const earliest = now - 30 * DAY + MINUTE;
    await compare(windowOfAll(earliest, now));
    for (let times = 0; times < inForm(15, 60); times++) await compare(windowOf(random, earliest, now));
  });
});
