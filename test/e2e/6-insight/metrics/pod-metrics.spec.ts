import { newId } from '../../../../src/1-platform/common/ids';
import { fieldsOf } from '../../../support/artifacts';
import { seriesOfPage, writeSeries, type ReportedSample, type ReportedSeries } from '../../../support/metric-series';
import { databaseNow } from '../../../support/reports';
import { describeWithSamples, sample, sampleText } from '../../../support/samples';
import { Service, type Organisation } from '../../../support/service';
import { buildCluster, buildPod, ok, syncAll } from '../../../support/workloads';
import { topPods } from '../../../../src/6-insight/metrics/pods/pod-metrics.queries';
import { plansOf } from '../../../support/plans';
import { HOUR, MINUTE, SECOND } from '../../../support/durations';

const MIB = 1_048_576;

interface Row {
  pod_uid: string;
  pod_name: string;
  timestamp: string;
  cpu_usage_seconds: number;
  memory_bytes: number;
}

describe('pod metrics', () => {
  let service: Service;
  let org: Organisation;
  let now: number;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    now = await databaseNow(service);
  });
  afterAll(() => service.close());

  const iso = (at: number) => new Date(at).toISOString();
  const report = (...all: ReportedSeries[]) => writeSeries(service.db, org, ...all);
  const series = (
    metric: string,
    samples: readonly ReportedSample[],
    more: Partial<ReportedSeries>,
  ): ReportedSeries => ({
    family: 'pod',
    metric,
    namespace: 'training',
    pod_name: 'train-0',
    pod_uid: 'uid-0',
    node_name: 'node-1',
    samples,
    ...more,
  });
  const cpu = (samples: readonly ReportedSample[], more: Partial<ReportedSeries> = {}) =>
    series('container_cpu_usage_seconds_total', samples, { kind: 'counter', ...more });
  const memory = (samples: readonly ReportedSample[], more: Partial<ReportedSeries> = {}) =>
    series('container_memory_working_set_bytes', samples, more);

  const rows = async (query = '', of = org): Promise<Row[]> => ok(await of.viewer.get(`/v1/metrics/pods${query}`)).body;
  const top = async (by: 'cpu' | 'memory', query = '', of = org): Promise<Row[]> =>
    ok(await of.viewer.get(`/v1/metrics/pods/top/${by}${query}`)).body;
  const figures = (all: Row[]) => all.map((row) => [row.timestamp, row.cpu_usage_seconds, row.memory_bytes]);

  it('need a token, and are separate per organisation', async () => {
    await report(cpu([[now - MINUTE, 5]]));
    const other = await service.organisation();
    for (const path of ['/v1/metrics/pods', '/v1/metrics/pods/top/cpu', '/v1/metrics/pods/top/memory']) {
      expect(ok(await other.viewer.get(path)).body).toEqual([]);
      expect(ok(await org.viewer.get(path)).body).toHaveLength(1);
      expect((await service.as(undefined).get(path)).status).toBe(401);
    }
  });

  it('look up the samples of no series that ended before, however many of the day there are', async () => {
    for (let pod = 0; pod < 10; pod++) await report(cpu([[now - MINUTE, pod]], { pod_uid: `live-${pod}` }));
    const lookUps = async () => {
      const plans = await plansOf(
        service,
        org,
        (tx) => topPods(tx, 'memory', new Date(now), 5),
        [],
        'explain (analyze)',
      );
      const loops = [...plans.join('\n').matchAll(/ on grouped_samples\w*.* loops=(\d+)/g)];
      return loops.reduce((sum, [, count]) => sum + Number(count), 0);
    };
    await service.db.query('analyze metric_series');
    const before = await lookUps();
    expect(before).toBeGreaterThanOrEqual(10);
    await service.db.query(
      `insert into metric_series (org_id, digest, family, metric, kind, labels, namespace, pod_name, pod_uid, container,
         last_sampled_on, sampled_until)
       select $1, gen_random_uuid(), 'pod', 'container_memory_working_set_bytes', 'gauge', '{}', 'training', 'ended-' || n,
         'ended-' || n, 'main', ($2::timestamptz at time zone 'UTC')::date, $2::timestamptz - interval '10 minutes'
       from generate_series(1, 10000) n`,
      [org.id, new Date(now)],
    );
    await service.db.query('analyze metric_series');
    // PostgreSQL may change its plan for the others.
    expect(await lookUps()).toBeLessThan(before + 100);
    expect(await top('memory')).toHaveLength(10);
  });

  it('count a container that ended a little before the window, at the first moments of its pod', async () => {
    await report(memory([[now - HOUR + 2 * MINUTE, 100]], { container: 'main' }));
    await report(memory([[now - HOUR - MINUTE, 300]], { container: 'ended' }));
    await service.db.query("update metric_series set sampled_until = $2 where org_id = $1 and container = 'ended'", [
      org.id,
      new Date(now - HOUR - MINUTE),
    ]);
    expect(await rows('?hours=1')).toMatchObject([{ memory_bytes: 400 }]);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?hours=0', 'hours'],
    ['?hours=x', 'hours'],
    ['/top/cpu?limit=0', 'limit'],
    ['/top/memory?limit=1.5', 'limit'],
  ])('refuse %s', async (query, field) => {
    const answer = await org.viewer.get(`/v1/metrics/pods${query}`);
    expect([answer.status, fieldsOf(answer)]).toEqual([400, [field]]);
  });

  it('are those of the pod as a whole, at each time, without adding its containers', async () => {
    await report(
      cpu([
        [now - 2 * MINUTE, 10],
        [now - MINUTE, 13.5],
      ]),
      memory([
        [now - 2 * MINUTE, 300 * MIB],
        [now - MINUTE, 310 * MIB],
      ]),
      // cAdvisor reads every cgroup at a time of its own.
      cpu([[now - MINUTE + 700, 9]], { container: 'main' }),
      memory([[now - MINUTE + 700, 250 * MIB]], { container: 'main' }),
    );
    const facts = {
      pod_uid: 'uid-0',
      node_name: 'node-1',
      namespace: 'training',
      pod_name: 'train-0',
      owner_kind: null,
      owner_name: null,
    };
    expect(await rows()).toEqual([
      { ...facts, timestamp: iso(now - MINUTE), cpu_usage_seconds: 13.5, memory_bytes: 310 * MIB },
      { ...facts, timestamp: iso(now - 2 * MINUTE), cpu_usage_seconds: 10, memory_bytes: 300 * MIB },
    ]);
  });

  it('are the sums over the containers if the pod is not measured as a whole', async () => {
    await report(
      cpu([[now - MINUTE, 9]], { container: 'main' }),
      cpu([[now - MINUTE, 0.5]], { container: 'proxy' }),
      memory([[now - MINUTE, 250 * MIB]], { container: 'main' }),
      memory([[now - MINUTE, 50 * MIB]], { container: 'proxy' }),
    );
    expect(figures(await rows())).toEqual([[iso(now - MINUTE), 9.5, 300 * MIB]]);
  });

  it('take the newest sample of each container, at most 5 minutes old', async () => {
    await report(
      cpu([[now - 7 * MINUTE, 100]], { container: 'gone' }),
      cpu([[now - 4 * MINUTE, 1]], { container: 'slow' }),
      cpu([[now - MINUTE, 10]], { container: 'main' }),
    );
    expect(figures(await rows())).toEqual([
      // Of main and slow: gone was 6 minutes ago.
      [iso(now - MINUTE), 11, 0],
      // Of slow and gone, 3 minutes before.
      [iso(now - 4 * MINUTE), 101, 0],
      [iso(now - 7 * MINUTE), 100, 0],
    ]);
  });

  it('count a container once if it was restarted, and not after it has ended', async () => {
    const old = { container: 'main', labels: { id: '/kubepods/old' } };
    const restarted = { container: 'main', labels: { id: '/kubepods/new' } };
    await report(
      // Prometheus ends a series with a sample without a value, at the time at which the next one begins.
      memory(
        [
          [now - 2 * MINUTE, 800],
          [now - MINUTE, null],
        ],
        old,
      ),
      memory([[now - MINUTE, 100]], restarted),
      memory(
        [
          [now - 2 * MINUTE, 40],
          [now - MINUTE, null],
        ],
        { container: 'init' },
      ),
    );
    expect(figures(await rows())).toEqual([
      [iso(now - MINUTE), 0, 100],
      [iso(now - 2 * MINUTE), 0, 840],
    ]);
  });

  it('leave out values that are out of range: their sum is no number', async () => {
    await report(
      memory([[now - MINUTE, 1.7e308]], { container: 'a' }),
      memory([[now - MINUTE, -1.7e308]], { container: 'b' }),
      memory([[now - MINUTE, 1.7e308]], { container: 'c' }),
      memory([[now - MINUTE, 5]], { container: 'd' }),
    );
    expect(await rows()).toMatchObject([{ memory_bytes: 5 }]);
    expect(await top('memory')).toMatchObject([{ memory_bytes: 5 }]);
  });

  it('add up a counter that is reported per core', async () => {
    await report(
      cpu([[now - MINUTE, 3]], { labels: { cpu: 'cpu00' } }),
      cpu([[now - MINUTE, 4]], { labels: { cpu: 'cpu01' } }),
    );
    expect(figures(await rows())).toEqual([[iso(now - MINUTE), 7, 0]]);
  });

  it("show the node and the owner of a pod: from kube-state-metrics, else from its cluster's sync", async () => {
    const clusterId = await buildCluster(org);
    const owner = { kind: 'ReplicaSet', name: 'web-5d9' };
    const synced = await buildPod(org, clusterId, { name: 'web-5d9-abcde', owner });
    await service.db.query(
      `insert into metric_pods (org_id, pod_uid, namespace, pod_name, node_name, owner_kind, owner_name, seen_at)
       values ($1, 'uid-0', 'training', 'train-0', 'node-9', 'Job', 'train', now()),
         ($1, 'uid-1', 'training', 'train-1', 'node-8', null, null, now() - interval '1 hour'),
         ($1, 'uid-2', 'training', 'train-1', 'node-7', 'StatefulSet', 'train', now())`,
      [org.id],
    );
    const at = now - MINUTE;
    await report(
      cpu([[at, 1]], { node_name: undefined }),
      cpu([[at, 2]], { node_name: undefined, pod_uid: undefined, pod_name: 'train-1' }),
      cpu([[at, 3]], { node_name: undefined, pod_uid: synced.uid, pod_name: undefined, namespace: undefined }),
      cpu([[at, 4]], { node_name: undefined, pod_uid: undefined, pod_name: synced.name, container: 'sum' }),
      cpu([[at, 5]], { node_name: undefined, pod_uid: undefined, pod_name: 'nobody' }),
    );
    const reported = (all: Row[]) => Object.fromEntries(all.map((row) => [row.pod_name, row]));
    const all = await rows();
    expect(reported(all)).toMatchObject({
      'train-0': { pod_uid: 'uid-0', node_name: 'node-9', owner_kind: 'Job', owner_name: 'train' },
      'train-1': { pod_uid: 'uid-2', node_name: 'node-7', owner_kind: 'StatefulSet', owner_name: 'train' },
      // One pod in two notations; the whole counts.
      [synced.name]: {
        pod_uid: synced.uid,
        namespace: 'training',
        node_name: 'node-1',
        owner_kind: 'ReplicaSet',
        owner_name: 'web-5d9',
        cpu_usage_seconds: 3,
      },
      nobody: { pod_uid: '', node_name: '', owner_kind: null, owner_name: null },
    });
    expect(all).toHaveLength(4);
    const names = async (query: string) => (await rows(query)).map(({ pod_name: name }) => name);
    expect(await names('?node_name=node-7')).toEqual(['train-1']);
    expect(await names('?node_name=node-1')).toEqual([synced.name]);
    expect(await names('?pod_uid=uid-2')).toEqual(['train-1']);
    expect(await names('?pod_uid=uid-0&node_name=node-7')).toEqual([]);
    expect(await names(`?pod_uid=${newId()}`)).toEqual([]);
    const figures = { cpu_usage_seconds: 5, cpu_cores: null, memory_bytes: 0 };
    expect(await top('cpu', '?limit=1')).toEqual([
      { pod_uid: '', node_name: '', ...figures, namespace: 'training', pod_name: 'nobody' },
    ]);
  });

  it('are the newest 100 of an hour by default, and 1,000 of a week at most', async () => {
    // One sample a minute for 9 days: 12,960.
    const samples = Array.from({ length: 9 * 24 * 60 }, (_, i): ReportedSample => [now - i * MINUTE - SECOND, i]);
    await report(cpu(samples));
    const values = async (query: string) => (await rows(query)).map((row) => row.cpu_usage_seconds);
    const first = (count: number) => Array.from({ length: count }, (_, i) => i);
    expect(await values('')).toEqual(first(60));
    expect(await values('?hours=2')).toEqual(first(100));
    expect(await values('?hours=2&limit=119')).toEqual(first(119));
    expect(await values('?hours=2&limit=9999')).toEqual(first(120));
    expect(await values('?hours=9999&limit=9999')).toEqual(first(1_000));
    await service.db.query('delete from grouped_samples where org_id = $1 and sample_values[1] < 160 * 60', [org.id]);
    // Of the week (168 hours), its first 8 hours are left, and more than a day outside it.
    expect(await values('?hours=9999&limit=9999')).toEqual(first(8 * 60).map((i) => 160 * 60 + i));
  });

  it('are never of the future', async () => {
    await report(cpu([[now + HOUR, 1]]));
    expect(await rows()).toEqual([]);
    expect(await top('cpu')).toEqual([]);
  });

  describe('with the highest usage', () => {
    const pod = (number: number, cpuSeconds: number, bytes: number, at = now - MINUTE) => {
      const names = { pod_uid: `uid-${number}`, pod_name: `pod-${number}` };
      return [cpu([[at, cpuSeconds]], names), memory([[at, bytes]], names)];
    };

    it('are sorted by their newest sample of the last 5 minutes, largest first', async () => {
      await report(
        ...pod(1, 50, 1_000),
        ...pod(2, 70, 500),
        ...pod(3, 60, 2_000),
        // The largest, but 6 minutes ago.
        ...pod(4, 9_999, 9_999, now - 6 * MINUTE),
        cpu(
          [
            [now - 4 * MINUTE, 1_000],
            [now - MINUTE, 65],
          ],
          { pod_uid: 'uid-5', pod_name: 'pod-5' },
        ),
      );
      const seen = (all: Row[]) => all.map((row) => [row.pod_name, row.cpu_usage_seconds, row.memory_bytes]);
      expect(seen(await top('cpu'))).toEqual([
        ['pod-2', 70, 500],
        ['pod-5', 65, 0],
        ['pod-3', 60, 2_000],
        ['pod-1', 50, 1_000],
      ]);
      expect(seen(await top('memory', '?limit=2'))).toEqual([
        ['pod-3', 60, 2_000],
        ['pod-1', 50, 1_000],
      ]);
    });

    describe('and the cores that are busy', () => {
      const cores = async (...all: ReportedSeries[]) => {
        await report(...all);
        const [{ cpu_cores: busy } = { cpu_cores: undefined }] = (await top('cpu')) as (Row & { cpu_cores: unknown })[];
        return busy;
      };
      /** A counter, by minutes before now. */
      const counter = (values: Readonly<Record<number, number | null>>, more: Partial<ReportedSeries> = {}) =>
        cpu(
          Object.entries(values)
            .map(([minutes, value]): ReportedSample => [now - Number(minutes) * MINUTE, value])
            .toSorted(([one], [other]) => one - other),
          more,
        );

      it('are the growth since the newest sample that is a minute older', async () => {
        expect(await cores(counter({ 9: 0, 3: 10, 1: 190 }))).toBeCloseTo(1.5);
      });

      it('are over a minute if a pair of servers reports each reading twice', async () => {
        const at = (seconds: number) => seconds / 60;
        expect(await cores(counter({ [at(61)]: 0, [at(1.5)]: 480, [at(1)]: 480 }))).toBeCloseTo(8);
      });

      it('are over the time of its samples if they began within the last minute', async () => {
        expect(await cores(counter({ 1.5: 0, 1.25: 30, 1: 60, [0.99]: 60 }))).toBeCloseTo(60 / (0.51 * 60));
      });

      it('are those of the pod as a whole, without its containers', async () => {
        expect(await cores(counter({ 2: 0, 1: 120 }), counter({ 2: 0, 1: 60 }, { container: 'main' }))).toBeCloseTo(2);
      });

      it('are the sum over containers and cores if the pod is not measured as a whole', async () => {
        expect(
          await cores(
            counter({ 2: 0, 1: 60 }, { container: 'main', labels: { cpu: 'cpu00' } }),
            counter({ 3: 0, 1: 60 }, { container: 'main', labels: { cpu: 'cpu01' } }),
            counter({ 2: 5, 1: 5 }, { container: 'proxy' }),
          ),
        ).toBeCloseTo(1.5);
      });

      it('are of the sample before it, if that is older than what counts as current', async () => {
        expect(await cores(counter({ 10: 0, 4: 360 }))).toBeCloseTo(1);
      });

      it.each([
        ['there is one sample', { 1: 60 }],
        ['the samples are too far apart', { 12: 0, 1: 60 }],
        ['the counter fell, because the container was started again', { 2: 600, 1: 60 }],
        ['the sample before had no value', { 3: 0, 2: null, 1: 60 }],
        ['the counter fell in between, and grew since', { 3: 100, 2: 130, 1.5: 10, 1: 120 }],
        ['a sample in between has no value', { 3: 0, 1.5: null, 1: 60 }],
        ['the samples are of less than 15 seconds', { 1.2: 0, 1: 60 }],
      ])('are not known if %s', async (_why, values) => {
        expect(await cores(counter(values))).toBeNull();
      });

      it('are not known if those of a container are not', async () => {
        expect(
          await cores(
            counter({ 2: 0, 1: 60 }, { container: 'main' }),
            counter({ 2: 0, 1: null }, { container: 'proxy', labels: { id: 'old' } }),
            counter({ 1: 3 }, { container: 'proxy', labels: { id: 'new' } }),
          ),
        ).toBeNull();
      });

      it('count no container that has ended', async () => {
        expect(
          await cores(
            counter({ 2: 0, 1: 60 }, { container: 'main' }),
            counter({ 3: 0, 2: 60, 1: null }, { container: 'init' }),
          ),
        ).toBeCloseTo(1);
      });

      it('are those of each pod by itself', async () => {
        await report(
          ...Array.from({ length: 20 }, (_, number) => [
            counter({ 2: 100, 1: 100 + 6 * number }, { pod_uid: `uid-${number}`, pod_name: `pod-${number}` }),
            memory([[now - MINUTE, 100 - number]], { pod_uid: `uid-${number}`, pod_name: `pod-${number}` }),
          ]).flat(),
        );
        const seen = (await top('memory', '?limit=3')) as (Row & { cpu_cores: number })[];
        expect(seen.map(({ pod_name: name }) => name)).toEqual(['pod-0', 'pod-1', 'pod-2']);
        seen.forEach(({ cpu_cores: busy }, number) => expect(busy).toBeCloseTo(number / 10));
      });
    });

    it('are 10 by default, and 100 at most', async () => {
      await report(...Array.from({ length: 101 }, (_, i) => pod(i, i, i)).flat());
      const firsts = async (query: string) => {
        const all = await top('memory', query);
        return [all.length, all[0]?.memory_bytes];
      };
      expect(await firsts('')).toEqual([10, 100]);
      expect(await firsts('?limit=101')).toEqual([100, 100]);
      expect(await top('cpu', '?limit=9999')).toHaveLength(100);
    });
  });

  describeWithSamples('of a real kubelet', () => {
    it('join the samples of cAdvisor with the pods that the cluster reports', async () => {
      const clusterId = await buildCluster(org);
      const reported = (file: string) =>
        sample(`k8s/${file}.json`).items.map((item: object & { kind: string }) => ({ ...item, type: item.kind }));
      await syncAll(org.controller, clusterId, reported('list-nodes-minikube-1.35'));
      await syncAll(org.controller, clusterId, reported('list-pods-minikube-1.35'));
      await report(...seriesOfPage(sampleText('metrics/kubelet-cadvisor.prom'), now - MINUTE));
      const pod = (await rows()).find(({ pod_name: name }) => name === 'e2e-deployment-79967c5968-8bnn8');
      expect(pod).toEqual({
        pod_uid: 'da59f36e-a7a8-46ed-8d9d-36392eb967d4',
        node_name: 'datagen-1-35',
        timestamp: iso(now - MINUTE),
        // The pod's own cgroup; the container's 2.862868 was read a moment later.
        cpu_usage_seconds: 2.848134,
        memory_bytes: 10_727_424,
        namespace: 'scraper',
        pod_name: 'e2e-deployment-79967c5968-8bnn8',
        owner_kind: 'ReplicaSet',
        owner_name: 'e2e-deployment-79967c5968',
      });
    });
  });
});
