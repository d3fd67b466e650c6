import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from '../../../../src/application';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import { CHAT, createKey, question, readyProfile, routeTo, serviceFor, usageOf, type Key } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { startExperiment } from '../../../support/experiments';
import { authorize, useUpRate } from '../../../support/inference';
import { InferenceWorker } from '../../../support/inference-worker';
import { asked } from '../../../support/reports';
import { Caller, type Organisation, type Service } from '../../../support/service';

const REFUSALS = 300;

describe('chats that are refused again and again', () => {
  let worker: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(async () => {
    org = await service.organisation();
    key = await createKey(org, { rate_limit_rps: 1 });
    model = await routeTo(org, [await readyProfile(org, worker)]);
  });

  interface Row {
    readonly status: number;
    readonly repeated: number;
    readonly experiment: string | null;
  }
  /** Those of refusals, in the order of their statuses. */
  const rows = async (): Promise<Row[]> =>
    (
      await service.db.query<Row>(
        `select status_code as status, repeated, experiment_id as experiment from usage_records
         where org_id = $1 and status_code >= 400 order by status_code, repeated`,
        [org.id],
      )
    ).rows;
  const requestsOf = (some: readonly Row[]): number => some.reduce((sum, { repeated }) => sum + 1 + repeated, 0);

  /** @returns the statuses, and how often each one came */
  async function flood(
    times: number,
    { bearer = key.raw_key, body = question(model), headers = {}, url = service.url }: Partial<Flood> = {},
  ): Promise<Record<number, number>> {
    const caller = new Caller(url, bearer);
    const statuses: Record<number, number> = {};
    const client = async () => {
      for (let left = times / 10; left > 0; left--) {
        const { status } = await caller.post(CHAT, body, headers);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 10 }, client));
    return statuses;
  }
  interface Flood {
    readonly bearer: string;
    readonly body: object;
    readonly headers: Record<string, string>;
    readonly url: string;
  }

  /** Waits until so many refusals are recorded. @returns the records */
  async function recorded(count: number): Promise<Row[]> {
    let found: Row[] = [];
    await eventually(async () => {
      found = await rows();
      expect(requestsOf(found)).toBe(count);
    });
    return found;
  }

  /** The counts of all reports that count requests, the window of each being the last hour or longer. */
  async function reported(experimentId?: string) {
    const query = { hours: 1, ...(experimentId === undefined ? {} : { experiment_id: experimentId }) };
    const series = (await asked(org.viewer, 'usage/series', { ...query, bucket: '1m' })) as {
      requests: number;
      successes: number;
    }[];
    const { serving } = (await asked(org.viewer, 'analytics', query)) as { serving: { requests: number } };
    return {
      series: series.reduce((sum, { requests }) => sum + requests, 0),
      successes: series.reduce((sum, { successes }) => sum + successes, 0),
      analytics: serving.requests,
    };
  }
  const counted = (requests: number) => ({ series: requests, successes: 0, analytics: requests });

  it('leave a few records, and reports count all of them', async () => {
    const experimentId = await startExperiment(org);
    await useUpRate(service, key.key_id);
    const headers = { 'x-experiment-id': experimentId };
    expect(await flood(REFUSALS, { headers })).toEqual({ 429: REFUSALS });
    const found = await recorded(REFUSALS);
    expect(found.length).toBeLessThanOrEqual(10);
    expect(new Set(found.map(({ experiment }) => experiment))).toEqual(new Set([experimentId]));

    expect(await reported()).toEqual(counted(REFUSALS));
    expect(await reported(experimentId)).toEqual(counted(REFUSALS));
    expect(await asked(org.viewer, 'correlation', { experiment_id: experimentId })).toMatchObject({
      usage: { requests: REFUSALS, fallbacks: 0, successful_requests: 0 },
      policy_decisions: [{ name: 'unknown', count: REFUSALS }],
    });
    expect(await asked(org.viewer, 'costs/report', { hours: 1 })).toMatchObject({
      treatment_quality: { requests: REFUSALS, refusal_rate: 1 },
    });
    const { rows: sums } = await service.db.query(
      `select step, sum(requests)::int as requests, sum(refusals)::int as refusals, sum(successes)::int as successes
       from usage_rollups where org_id = $1 group by step order by step`,
      [org.id],
    );
    expect(sums).toEqual(
      [60, 900, 3_600, 86_400, 864_000].map((step) => ({
        step,
        requests: REFUSALS,
        refusals: REFUSALS,
        successes: 0,
      })),
    );
  });

  it('are recorded apart by status, key and experiment, and the first of each is recorded at once', async () => {
    const poor = await createKey(org, { budget_usd: 0, rate_limit_rps: 1_000 });
    const chosen = await createKey(org, { models: [model] });
    const experimentId = await startExperiment(org);
    // For an unknown model, the last answer of the database decides for as long as it says.
    await useUpRate(service, key.key_id);
    expect(await flood(100)).toEqual({ 429: 100 });
    expect(await flood(50, { body: question('nowhere'), bearer: key.raw_key })).toEqual({ 429: 50 });
    expect(await flood(40, { bearer: poor.raw_key })).toEqual({ 429: 40 });
    expect(await flood(30, { bearer: chosen.raw_key, body: question('nowhere') })).toEqual({ 403: 30 });
    expect(
      await flood(20, {
        bearer: poor.raw_key,
        body: question('nowhere'),
        headers: { 'x-experiment-id': experimentId },
      }),
    ).toEqual({ 404: 20 });
    const found = await recorded(240);
    const countOf = (status: number) => requestsOf(found.filter((one) => one.status === status));
    expect([403, 404, 429].map(countOf)).toEqual([30, 20, 190]);
    expect(found.length).toBeLessThanOrEqual(16);
    expect(found.filter(({ experiment }) => experiment !== null).map(({ status }) => status)).toEqual([404, 404]);
    expect(await reported()).toEqual(counted(240));
    expect(await reported(experimentId)).toEqual(counted(20));
  });

  it('are recorded together also if a router asks for them', async () => {
    await useUpRate(service, key.key_id);
    const caller = service.as(key.raw_key);
    for (let times = 0; times < 40; times++) expect((await authorize(caller, model)).status).toBe(429);
    expect((await recorded(40)).length).toBeLessThanOrEqual(4);
  });

  it('leave a record each if something was reserved for them, which gives it back', async () => {
    const rich = await createKey(org, { budget_usd: 100 });
    const empty = await routeTo(org, []);
    expect(await flood(10, { bearer: rich.raw_key, body: question(empty) })).toEqual({ 503: 10 });
    expect((await usageOf(service, empty, 10)).length).toBe(10);
    await eventually(async () => {
      const { rows: keys } = await service.db.query(
        'select reserved_usd::float8 as reserved, spent_usd::float8 as spent from inference_keys where id = $1',
        [rich.key_id],
      );
      expect(keys).toEqual([{ reserved: 0, spent: 0 }]);
    });
  });

  it('are all recorded when the service stops in between', async () => {
    const app: NestExpressApplication = await createApplication(service.environment, createLogger('silent'));
    await app.listen(0, '127.0.0.1');
    const url = await app.getUrl();
    await useUpRate(service, key.key_id);
    expect(await flood(100, { url })).toEqual({ 429: 100 });
    expect(requestsOf(await rows())).toBeLessThan(100);
    await app.get(Draining).close(app);
    expect(requestsOf(await rows())).toBe(100);
    expect(await reported()).toEqual(counted(100));
  });
});
