import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../../support/eventually';
import { havePrometheus, Prometheus } from '../../support/prometheus';
import { haveSamples, sampleText } from '../../support/samples';
import { Service, type Organisation } from '../../support/service';

const PAGES = [
  'dcgm-exporter-8xh100-pods',
  'kubelet-cadvisor',
  'kube-state-metrics-2.19',
  'node-exporter-1.5.0',
  'rivosinc-slurm-exporter',
  'slurm-25.11-nodes',
  'slurm-25.11-partitions',
];

const describeReal = haveSamples && havePrometheus ? describe : describe.skip;

describeReal('a real Prometheus (skipped where it or ../shared/samples is absent)', () => {
  let service: Service;
  let org: Organisation;
  let pages: Server;
  let prometheus: Prometheus;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    pages = createServer((request, response) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4');
      response.end(sampleText(`metrics${request.url ?? ''}.prom`));
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const target = `127.0.0.1:${(pages.address() as AddressInfo).port}`;
    prometheus = await Prometheus.start({
      global: {
        scrape_interval: '1s',
        scrape_timeout: '1s',
        external_labels: { cluster: 'demo', prometheus_replica: 'a' },
      },
      scrape_configs: PAGES.map((page) => ({
        job_name: page,
        metrics_path: `/${page}`,
        // Pages of long ago say when they were printed.
        honor_timestamps: false,
        static_configs: [{ targets: [target] }],
      })),
      remote_write: [
        {
          url: `${service.url}/v1/metrics/write`,
          authorization: { type: 'Bearer', credentials: org.controller.token },
          queue_config: { batch_send_deadline: '500ms' },
        },
      ],
    });
  });
  afterAll(async () => {
    await prometheus?.stop();
    pages?.close();
    await service?.close();
  });

  const count = async (statement: string): Promise<number> =>
    (await service.db.query<{ count: number }>(statement, [org.id])).rows[0]?.count ?? 0;

  it('fills the tables: each family, and the facts about pods', async () => {
    // The service's clock stands still; the samples are of now.
    service.clock.set(new Date());
    await eventually(async () => {
      const { rows } = await service.db.query(
        `select family, count(*)::int as series, bool_and(exists (
           select from metric_samples m where m.org_id = s.org_id and m.series_id = s.id)) as sampled
         from metric_series s where org_id = $1 group by family order by family`,
        [org.id],
      );
      expect(rows).toEqual([
        { family: 'gpu', series: 30, sampled: true },
        { family: 'host', series: expect.any(Number), sampled: true },
        { family: 'pod', series: 12, sampled: true },
        { family: 'slurm', series: expect.any(Number), sampled: true },
      ]);
      expect(await count('select count(*)::int as count from metric_pods where org_id = $1')).toBe(25);
      // It reads its own log from time to time only.
    }, 40_000);
    const { rows } = await service.db.query(
      "select namespace, pod_name, node_name, owner_kind, owner_name from metric_pods where org_id = $1 and pod_name = 'e2e-statefulset-0'",
      [org.id],
    );
    expect(rows).toEqual([
      {
        namespace: 'scraper',
        pod_name: 'e2e-statefulset-0',
        node_name: 'datagen-1-35',
        owner_kind: 'StatefulSet',
        owner_name: 'e2e-statefulset',
      },
    ]);
  });

  it('loses nothing of it: its own counts say so', async () => {
    const told = await (await fetch(`${prometheus.url}/metrics`)).text();
    const counter = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(told)?.[1]);
    expect(counter('prometheus_remote_storage_samples_total')).toBeGreaterThan(0);
    expect(counter('prometheus_remote_storage_samples_failed_total')).toBe(0);
    expect(counter('prometheus_remote_storage_samples_dropped_total')).toBe(0);
  });
});
