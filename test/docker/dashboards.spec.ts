import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/1-platform/common/ids';
import { describeWith } from '../support/components';
import { CHAT, createKey, readyProfile, routeTo, serviceFor } from '../support/chat';
import { eventually } from '../support/eventually';
import { InferenceWorker } from '../support/inference-worker';
import { Prometheus } from '../support/prometheus';
import { type Organisation, type Service } from '../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putInfo,
  readyCheckpoint,
  reportRestore,
  takeUp,
  type RunningPod,
} from '../support/workloads';
import { dashboards, scraping } from './support/dashboards';

const SCRAPED_EVERY = '250ms';
/** Grafana makes it four scrapes at least. On a busy machine, some of them take too long. */
const RATE_INTERVAL = '10s';

const EXPRESSIONS = dashboards.flatMap(({ title, panels }) =>
  panels.flatMap((panel) => panel.targets.map(({ expr }) => [title, panel.title, expr] as const)),
);

/** As Grafana sends it, with every organisation chosen. */
const asked = (expression: string): string =>
  expression.replaceAll('$__rate_interval', RATE_INTERVAL).replaceAll('$organisation', '.*');

describeWith(['Prometheus'], 'the dashboards beside a real Prometheus', () => {
  let worker: InferenceWorker;
  let service: Service;
  let prometheus: Prometheus;
  let directory: string;
  let chat: () => Promise<void>;

  /** The project's own configuration, with this service as its target. */
  const configFor = ({ url }: Service, tokenFile: string): object => ({
    global: { ...scraping.global, scrape_interval: SCRAPED_EVERY, scrape_timeout: SCRAPED_EVERY },
    scrape_configs: scraping.scrape_configs.map(({ static_configs, authorization, ...config }) => ({
      ...config,
      scrape_interval: SCRAPED_EVERY,
      ...(authorization && { authorization: { credentials_file: tokenFile } }),
      static_configs: static_configs.map((one) => ({ ...one, targets: [new URL(url).host] })),
    })),
  });

  const query = async (expression: string): Promise<{ metric: object; value: [number, string] }[]> => {
    const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(asked(expression))}`);
    const body = (await answer.json()) as { status: string; error?: string; data: { result: [] } };
    if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
    return body.data.result;
  };

  /** A checkpoint and a restore that succeed, one of each that fails, and a chat that costs something. */
  async function use(org: Organisation, { uid, clusterId }: RunningPod): Promise<void> {
    const tree = { components: [{ name: 'criu', duration: 1_200_000_000, io: 2 ** 30 }] };
    await readyCheckpoint(org, uid, { info: tree });
    const failed = await takeUp(org, await askCheckpoint(org, uid), { container_name: 'main' });
    ok(await putInfo(org, failed, undefined, { error: 'no space left on device' }));
    const restore = { restore_uuid: newId(), cluster_id: clusterId, status: 'ok', runtime_metadata: tree };
    ok(await reportRestore(org, 'restore_start', restore));
    ok(await reportRestore(org, 'restore_success', restore));
    await chat();
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'dashboards-'));
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    const org = await service.organisation();
    const model = await routeTo(org, [await readyProfile(org, worker)]);
    const { raw_key } = await createKey(org, { budget_usd: 10 });
    chat = async () =>
      void ok(
        await service.as(raw_key).post(CHAT, { model, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
      );
    const pod = await buildPod(org, await buildCluster(org));
    // Totals are exported from their first report on, and a rate needs a growth that was seen.
    await use(org, pod);
    const tokenFile = join(directory, 'token');
    writeFileSync(tokenFile, org.viewer.token ?? '');
    prometheus = await Prometheus.start(configFor(service, tokenFile));
    await eventually(async () => {
      const up = await query('up == 1');
      if (up.length < scraping.scrape_configs.length) throw new Error(`only ${up.length} jobs are scraped`);
      const seen = await query('count_over_time(checkpoint_operations_running[1m]) > 1');
      if (seen.length === 0) throw new Error('the organisation is not exported');
    });
    await use(org, pod);
  });
  afterAll(async () => {
    await prometheus?.stop();
    await service?.close();
    await worker?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(EXPRESSIONS)('%s: %s has rows', async (_dashboard, _panel, expression) => {
    await eventually(async () => {
      const values = (await query(expression)).map(({ value: [, text] }) => Number(text));
      if (values.some(Number.isFinite)) return;
      // A quantile of a rate has no number once nothing has grown within the interval.
      await chat();
      throw new Error(`no row with a number: ${JSON.stringify(values)}`);
    });
  });
});
