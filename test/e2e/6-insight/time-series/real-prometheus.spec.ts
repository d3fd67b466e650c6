import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWith } from '../../../support/components';
import { SampleBacklog } from '../../../../src/6-insight/time-series/sample-backlog';
import { eventually } from '../../../support/eventually';
import { Prometheus } from '../../../support/prometheus';
import { sample, sampleText } from '../../../support/samples';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, ok, readyCheckpoint, syncAll } from '../../../support/workloads';
import { STORED_SAMPLES } from '../../../support/metric-series';

const PAGES = [
  'dcgm-exporter-8xh100-pods',
  'kubelet-cadvisor',
  'kube-state-metrics-2.19',
  'node-exporter-1.5.0',
  'rivosinc-slurm-exporter',
  'slurm-25.11-nodes',
  'slurm-25.11-partitions',
];

describeWith(['Prometheus', '../shared/samples'], 'a real Prometheus', () => {
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
        // Captured pages contain the time at which they were printed.
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
    // The service's clock stands still; the samples have the current time.
    service.clock.set(new Date());
    await eventually(async () => {
      const { rows } = await service.db.query(
        `select family, count(*)::int as series, bool_and(exists (
           select from ${STORED_SAMPLES} m where m.org_id = s.org_id and m.series_id = s.id)) as sampled
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
      // Prometheus reads its own log only from time to time.
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

  it('fills every operation that reads samples', async () => {
    const read = async (path: string) => ok(await org.viewer.get(`/v1/metrics${path}`)).body;
    // A page arrives in several requests.
    await eventually(async () => {
      const [node] = await read('/gpu');
      expect(node).toMatchObject({ node_name: 'gpu-node-1', gpus: Array.from({ length: 8 }, () => expect.anything()) });
      const held = { namespace: 'dynamo-workload', pod_name: 'vllm-agg-0-vllmdecodeworker-s65j5' };
      expect(node.gpus[0]).toMatchObject({ ...held, gpu_index: '0', temperature_celsius: 30, power_watts: 113.611 });
      const history = await read(`/gpu/timeseries?gpu_uuid=${node.gpus[0].gpu_uuid}`);
      expect(history).toMatchObject({ gpu_index: '0', node_name: 'gpu-node-1' });
      expect(history.data.at(-1)).toMatchObject({ ...held, gpu_utilization: 0 });

      const pod = { namespace: 'scraper', pod_name: 'e2e-statefulset-0', node_name: 'datagen-1-35' };
      const owner = { owner_kind: 'StatefulSet', owner_name: 'e2e-statefulset' };
      const used = { cpu_usage_seconds: 2.183492, memory_bytes: 10_645_504 };
      const pods: { pod_name: string }[] = await read('/pods');
      expect(pods.find(({ pod_name: name }) => name === pod.pod_name)).toMatchObject({ ...pod, ...owner, ...used });
      for (const by of ['cpu', 'memory']) expect(await read(`/pods/top/${by}`)).toHaveLength(3);
      expect(await read('/pods/top/cpu')).toContainEqual(expect.objectContaining({ ...pod, ...used }));

      const hosts = await read('/k8');
      expect(hosts).toMatchObject([{ name: '127.0.0.1' }]);
      expect(hosts[0].details.length).toBeGreaterThan(300);

      expect((await read('/slurm')).length).toBeGreaterThan(100);
      expect(await read('/slurm/overview')).toMatchObject({
        cpu_load: 4.42,
        cpus_idle: 1,
        cpus_total: 6,
        mem_real: 24e9,
      });
      expect((await read('/slurm/overview/state')).nodes_by_state).toEqual(
        ['allocated', 'drained', 'mixed'].map((state) => ({ state, value: 1 })),
      );
      expect(await read('/slurm/partitions')).toMatchObject([
        { partition_name: 'cpu', idle_cpus: 0, total_cpus: 2 },
        { partition_name: 'gpu', idle_cpus: 1, total_cpus: 4 },
        { partition_name: 'urgent', idle_cpus: 1, total_cpus: 4 },
      ]);
      expect(await read('/slurm/partitions/nodes')).toHaveLength(5);
      const valueOf = ({ value }: { value: number }) => value;
      expect((await read('/slurm/partitions/gpu/timeseries')).cpu_load.map(valueOf)).toContain(2.69);
      expect((await read('/slurm/timeseries/cpu-load')).map(valueOf)).toContain(4.42);
      expect((await read('/slurm/timeseries/memory')).free_memory.map(valueOf)).toContain(55.578e9);
    }, 20_000);

    const resource = sample('k8s/list-pods-minikube-1.35.json').items.find(
      ({ metadata }: { metadata: { name: string } }) => metadata.name === 'e2e-statefulset-0',
    );
    await syncAll(org.controller, await buildCluster(org), [
      { ...sample('k8s/list-nodes-minikube-1.35.json').items[0], type: 'Node' },
      { ...resource, type: 'Pod' },
    ]);
    service.clock.set(new Date());
    await readyCheckpoint(org, resource.metadata.uid, { container: resource.spec.containers[0].name });
    expect(await read('/checkpoint-cpu')).toMatchObject([
      { pod_name: 'e2e-statefulset-0', cpu_at_checkpoint: 2.183492 },
    ]);
  });

  /** A counter of Prometheus itself. */
  async function counter(name: string): Promise<number> {
    const reported = await (await fetch(`${prometheus.url}/metrics`)).text();
    return Number(new RegExp(`^prometheus_remote_storage_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(reported)?.[1]);
  }

  it('sends samples again that were refused because too many were in progress', async () => {
    const backlog = service.app.get(SampleBacklog);
    const owners: string[] = [];
    // A request that is in progress now leaves its place later.
    const takeAllPlaces = (): void => {
      for (let owner = `owner-${owners.length}`; backlog.begin(owner); owner = `owner-${owners.length}`)
        owners.push(owner);
    };
    try {
      await eventually(async () => {
        takeAllPlaces();
        expect(await counter('samples_retried_total')).toBeGreaterThan(0);
      }, 20_000);
    } finally {
      for (const owner of owners) backlog.end(owner);
    }
    const sent = await counter('samples_total');
    await eventually(async () => expect(await counter('samples_total')).toBeGreaterThan(sent), 20_000);
  });

  it('loses no sample, by the counters of Prometheus itself', async () => {
    expect(await counter('samples_total')).toBeGreaterThan(0);
    expect(await counter('samples_failed_total')).toBe(0);
    expect(await counter('samples_dropped_total')).toBe(0);
  });
});
