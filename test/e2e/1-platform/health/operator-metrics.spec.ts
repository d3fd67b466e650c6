import { readFileSync } from 'node:fs';
import { register } from 'prom-client';
import { newId } from '../../../../src/1-platform/common/ids';
import { DatabaseFigures } from '../../../../src/1-platform/health/database-figures';
import { StatementPool } from '../../../../src/1-platform/database/connections/statement-pool';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import { Sweeps } from '../../../../src/1-platform/scheduling/sweeps';
import { eventually } from '../../../support/eventually';
import { passTime } from '../../../support/monotonic-time';
import { write } from '../../../support/outbox';
import { Service } from '../../../support/service';
import { samplesOf } from '../../../support/workloads';

/** Longer than figures, texts and probes are shared. */
const NEWS_MS = 6_000;
/** Longer than anybody may wait for a scrape. */
const SLOW_MS = 2_500;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('the metrics of what happens without a request', () => {
  let service: Service;

  beforeAll(async () => {
    // Other specs have used the same registry.
    register.resetMetrics();
    service = await Service.start({ auditRetentionDays: 30 }, { sweeping: true });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.close());

  const scrape = async (): Promise<Map<string, number>> => {
    passTime(NEWS_MS);
    return samplesOf((await service.as(undefined).get('/metrics')).text);
  };
  const valueOf = async (series: string): Promise<number | undefined> => (await scrape()).get(series);
  const becomes = (series: string, value: unknown) =>
    eventually(async () => expect([series, await valueOf(series)]).toEqual([series, value]));
  const databaseNow = async (): Promise<number> => {
    const { rows } = await service.db.query<{ now: number }>(
      'select extract(epoch from clock_timestamp())::float8 as now',
    );
    return rows[0]?.now ?? NaN;
  };
  const sweepOf = (name: string) => service.app.get(Sweeps).all.find((sweep) => sweep.name === name)!;

  it('name the release', async () => {
    const found = [...(await scrape()).keys()].filter((name) => name.startsWith('control_plane_build_info'));
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`version="${version}"`);
    expect(found[0]).toMatch(/schema_revision="\d+"/);
  });

  describe('of sweeps', () => {
    const succeeded = (name: string) => `sweep_last_success_timestamp_seconds{sweep="${name}"}`;
    const failures = (name: string, of: string) => `sweep_failures_total{sweep="${name}",of="${of}"}`;

    it('show when each last succeeded, and how often it is due', async () => {
      const before = await databaseNow();
      await eventually(async () => expect(await valueOf(succeeded('authorizations'))).toBeGreaterThan(before));
      expect(await valueOf(succeeded('authorizations'))).toBeLessThanOrEqual(await databaseNow());
      const samples = await scrape();
      for (const { name, everySeconds } of service.app.get(Sweeps).all) {
        expect([name, samples.get(`sweep_interval_seconds{sweep="${name}"}`)]).toEqual([name, everySeconds]);
        // One that was not due yet counts from when its queue was made.
        expect(samples.get(succeeded(name))).toBeGreaterThan(before - 3_600);
      }
    });

    it('show a sweep whose rounds fail as one that does not succeed, and count the failures', async () => {
      const before = (await valueOf(failures('authorizations', 'round'))) ?? NaN;
      const run = jest.spyOn(sweepOf('authorizations'), 'run').mockRejectedValue(new Error('as it happens'));
      await eventually(() => expect(run).toHaveBeenCalledTimes(1));
      const last = await eventuallyCounted(before + 1);
      await eventuallyCounted(before + 2);
      expect(await valueOf(succeeded('authorizations'))).toBe(last);
      // The queue keeps no text of the error.
      const { rows } = await service.db.query<{ output: { message: string } }>(
        "select output from pgboss.job where name = 'sweep-authorizations' and state = 'failed'",
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { output } of rows)
        expect(output.message).toBe('the sweep authorizations failed: the log has the reason');
      jest.restoreAllMocks();
      await eventually(async () => expect(await valueOf(succeeded('authorizations'))).toBeGreaterThan(last));
    });

    /** @returns when the sweep last succeeded */
    async function eventuallyCounted(count: number): Promise<number> {
      await eventually(async () =>
        expect(await valueOf(failures('authorizations', 'round'))).toBeGreaterThanOrEqual(count),
      );
      return (await valueOf(succeeded('authorizations'))) ?? NaN;
    }

    it('count items that fail and delay no other', async () => {
      const series = failures('restored pods', 'item');
      const before = (await valueOf(series)) ?? NaN;
      await service.app
        .get(Sweeps)
        .each('restored pods', [1, 2, 3], (item) =>
          item === 2 ? Promise.resolve() : Promise.reject(new Error('as it happens')),
        );
      expect(await valueOf(series)).toBe(before + 2);
    });

    it('count a round with several items that fail once', async () => {
      const [partial, items] = [failures('authorizations', 'partial_round'), failures('authorizations', 'item')];
      const before = (await valueOf(partial)) ?? NaN;
      const itemsBefore = (await valueOf(items)) ?? NaN;
      const sweeps = service.app.get(Sweeps);
      const run = jest
        .spyOn(sweepOf('authorizations'), 'run')
        .mockImplementationOnce(() =>
          sweeps.each('authorizations', [1, 2, 3], () => Promise.reject(new Error('as it happens'))),
        );
      // The next round begins after the count.
      await eventually(() => expect(run.mock.calls.length).toBeGreaterThan(1));
      jest.restoreAllMocks();
      expect([await valueOf(items), await valueOf(partial)]).toEqual([itemsBefore + 3, before + 1]);
    });

    it('know the last success of a sweep until three of its rounds are missing', async () => {
      const { rows } = await service.db.query<{ name: string; kept: number }>(
        "select name, deletion_seconds as kept from pgboss.queue where name in ('sweep-policies', 'sweep-old-rows') order by name",
      );
      expect(rows).toEqual([
        { name: 'sweep-old-rows', kept: 3 * 6 * 3_600 + 300 },
        { name: 'sweep-policies', kept: 3 * 5 + 300 },
      ]);
    });
  });

  it('show the oldest event without a number, of whichever organisation', async () => {
    const series = 'outbox_oldest_unnumbered_seconds';
    await becomes(series, 0);
    jest.spyOn(sweepOf('outbox numbers'), 'run').mockResolvedValue();
    const organisations = [await service.organisation(), await service.organisation(), await service.organisation()];
    for (const { id } of organisations) await write(service.app, id, {}, {});
    const ages = [600, 7_200, 60];
    for (const [place, { id }] of organisations.entries())
      await service.db.query(
        'update outbox_events set created_at = created_at - make_interval(secs => $2) where org_id = $1 and event_id is null',
        [id, ages[place]],
      );
    await eventually(async () => expect(await valueOf(series)).toBeGreaterThanOrEqual(7_200));
    expect(await valueOf(series)).toBeLessThan(7_300);
    await organisations[1]!.controller.get(`/v1/inference/outbox?consumer_id=${newId()}`);
    await eventually(async () => expect(await valueOf(series)).toBeLessThan(700));
    jest.restoreAllMocks();
    await service.sweep('outbox numbers');
    await becomes(series, 0);
  });

  it('show partitions that were not dropped, and those that are missing', async () => {
    const [ahead, overdue] = ['partition_ahead{table="audit_entries"}', 'partitions_overdue{table="audit_entries"}'];
    await becomes(ahead, 1);
    await service.sweep('old partitions');
    await becomes(overdue, 0);
    await service.db.query(`
      drop table if exists audit_entries_before;
      select partition_made('audit_entries', 'week', clock_timestamp() - n * interval '60 days')
      from generate_series(1, 2) n`);
    await becomes(overdue, 2);
    await service.sweep('old partitions');
    await becomes(overdue, 0);

    const { rows } = await service.db.query<{ name: string }>(
      "select name from partitions_of('audit_entries') where ends > clock_timestamp() + interval '1 day'",
    );
    for (const { name } of rows) await service.db.query(`drop table ${name}`);
    await becomes(ahead, 0);
    await service.sweep('partitions');
    await becomes(ahead, 1);
  });

  it('are read once in five seconds, however many clients scrape', async () => {
    const run = jest.spyOn(service.app.get(StatementPool), 'run');
    passTime(NEWS_MS);
    const began = performance.now();
    for (let call = 0; call < 30; call++) await service.as(undefined).get('/metrics');
    const read = run.mock.calls.filter(([{ name }]) => name === 'sweeps-last-success').length;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThanOrEqual(1 + (performance.now() - began) / 5_000);
  });

  it('read one event of each organisation with events without a number, however many there are', async () => {
    jest.spyOn(sweepOf('outbox numbers'), 'run').mockResolvedValue();
    const organisations = [await service.organisation(), await service.organisation(), await service.organisation()];
    for (const { id } of organisations)
      await service.db.query(
        `insert into outbox_events (org_id, id, event_type, aggregate_type, aggregate_id, payload)
         select $1, gen_random_uuid(), 'test.happened', 'test', n::text, '{}' from generate_series(1, 5000) n`,
        [id],
      );
    const run = jest.spyOn(service.app.get(StatementPool), 'run');
    await scrape();
    const [statement] = run.mock.calls.find(([{ name }]) => name === 'outbox-oldest-unnumbered') ?? [];
    const { rows } = await service.db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${statement?.text}`,
    );
    const scans = nodesOf(rows[0]!['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'outbox_events');
    expect(scans.map((node) => node['Index Name'])).toEqual(scans.map(() => 'outbox_events_unnumbered_idx'));
    const read = scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    // Rows are the average of the loops, rounded to a whole number by PostgreSQL 17 and earlier.
    expect(read).toBeGreaterThanOrEqual(organisations.length);
    expect(read).toBeLessThanOrEqual(organisations.length + 1);
    jest.restoreAllMocks();
    await service.sweep('outbox numbers');
  });

  it('show the checks of readiness', async () => {
    for (const check of ['serving', 'database', 'disk']) await becomes(`readiness_check{check="${check}"}`, 1);
    const draining = service.app.get(Draining);
    draining.started = true;
    await becomes('readiness_check{check="serving"}', 0);
    draining.started = false;
    await becomes('readiness_check{check="serving"}', 1);
  });

  it('show no read replica where none is configured', async () => {
    const names = [...(await scrape()).keys()];
    expect(names.filter((name) => name.startsWith('read_replica'))).toEqual([]);
  });

  describe('while the database does not answer', () => {
    it('answer soon: times stay as they were, and the rest is unknown', async () => {
      await becomes('readiness_check{check="database"}', 1);
      const before = await scrape();
      const { promise: silence, reject } = Promise.withResolvers<never>();
      jest.spyOn(service.app.get(StatementPool), 'run').mockReturnValue(silence);
      passTime(NEWS_MS);
      const began = performance.now();
      const silent = samplesOf((await service.as(undefined).get('/metrics')).text);
      expect(performance.now() - began).toBeLessThan(SLOW_MS);
      expect(silent.get('readiness_check{check="database"}')).toBe(0);
      for (const [name, value] of before)
        if (name.includes('timestamp_seconds')) expect([name, silent.get(name)]).toEqual([name, value]);
      reject(new Error('no connection'));
    });

    it('know no age and no number that they could not read', async () => {
      await becomes('outbox_oldest_unnumbered_seconds', 0);
      const before = await scrape();
      jest.spyOn(service.app.get(StatementPool), 'run').mockRejectedValue(new Error('no connection'));
      const away = await scrape();
      for (const name of before.keys()) {
        // Some series of the runtime appear and disappear with its activity.
        if (/^(nodejs|process)_/.test(name)) continue;
        expect([name, away.has(name)]).toEqual([name, true]);
        if (/^(outbox_oldest|partition)/.test(name)) expect([name, away.get(name)]).toEqual([name, NaN]);
        if (name.includes('timestamp_seconds')) expect([name, away.get(name)]).toEqual([name, before.get(name)]);
      }
    });
  });

  // The last one: replicas of one process share the registry.
  it('are the same on every replica', async () => {
    const replicas = [service.app, (await service.replica()).app].map((app) => app.get(DatabaseFigures));
    // Sweeps succeed between two looks.
    await eventually(async () => {
      passTime(NEWS_MS);
      const [own, other] = await Promise.all(replicas.map((figures) => figures.get()));
      expect(own?.successes.size).toBe(service.app.get(Sweeps).all.length);
      expect([...(other?.successes ?? [])].sort()).toEqual([...(own?.successes ?? [])].sort());
      expect(other).toMatchObject({ unnumberedSeconds: 0, partitions: own?.partitions });
    });
  });
});
