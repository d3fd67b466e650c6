import { buildPod } from '../../../test/support/builders';
import { describeWithSamples, sample, sampleLines } from '../../../test/support/samples';
import { readPod, type PodColumns } from './pod-resource';

type Read = Partial<Omit<PodColumns, 'object' | 'labels'>>;

const graphLabel = { 'nvidia.com/dynamo-graph-deployment-name': 'vllm-agg' };

describeWithSamples('readPod, on real pods', () => {
  it.each<[string, Read]>([
    [
      'pod-replicaset-running',
      {
        uid: 'da59f36e-a7a8-46ed-8d9d-36392eb967d4',
        name: 'e2e-deployment-79967c5968-8bnn8',
        namespace: 'scraper',
        node_name: 'datagen-1-35',
        phase: 'Running',
        reason: null,
        ready_containers: 1,
        total_containers: 1,
        restarts: 0,
        priority: 2_000_001_000,
        owner_kind: 'ReplicaSet',
        owner_name: 'e2e-deployment-79967c5968',
        owner_uid: 'b3b25a8e-585e-48cf-81c2-22fa18fdcc71',
        workload_kind: 'ReplicaSet',
        scheduled_at: '2026-06-26T10:12:51Z',
        ready_at: '2026-06-26T10:13:53Z',
        started_at: '2026-06-26T10:12:51Z',
        object_created_at: '2026-06-26T10:12:51Z',
        resource_version: '712',
      },
    ],
    [
      'pod-job-succeeded',
      {
        phase: 'Succeeded',
        reason: null,
        ready_containers: 0,
        total_containers: 1,
        workload_kind: 'Job',
        owner_name: 'e2e-cronjob-29707813',
        scheduled_at: '2026-06-26T10:13:00Z',
        // It was ready once, and no longer is.
        ready_at: null,
      },
    ],
    [
      'pod-job-failed',
      { phase: 'Failed', reason: 'Error', ready_containers: 0, workload_kind: 'Job', owner_name: 'e2e-failjob' },
    ],
    [
      'pod-pending-unschedulable',
      {
        phase: 'Pending',
        reason: 'Unschedulable',
        node_name: '',
        ready_containers: 0,
        total_containers: 1,
        workload_kind: 'ReplicaSet',
        scheduled_at: null,
        ready_at: null,
        started_at: null,
        object_created_at: '2023-07-11T04:20:29Z',
      },
    ],
    [
      'pod-oomkilled-job',
      {
        phase: 'Failed',
        reason: 'OOMKilled',
        node_name: 'minikube',
        ready_containers: 0,
        owner_kind: 'Job',
        owner_name: 'oom-kill-job3',
        ready_at: null,
      },
    ],
    [
      // A bare pod of 2018, from before priorities: no owner, no number.
      'pod-crashloopbackoff',
      {
        phase: 'Running',
        reason: 'CrashLoopBackOff',
        ready_containers: 0,
        total_containers: 1,
        restarts: 3,
        priority: null,
        owner_kind: null,
        owner_name: null,
        owner_uid: null,
        workload_kind: null,
        scheduled_at: '2018-12-02T09:19:36Z',
        ready_at: null,
      },
    ],
    [
      'pod-imagepullbackoff',
      {
        phase: 'Pending',
        reason: 'ImagePullBackOff',
        node_name: 'docker-for-desktop',
        ready_containers: 0,
        restarts: 0,
        owner_kind: 'ReplicaSet',
        started_at: '2019-04-04T16:06:56Z',
      },
    ],
    [
      'pod-vllm-running',
      {
        namespace: 'inference',
        node_name: 'gpu-node-1',
        phase: 'Running',
        reason: null,
        ready_containers: 1,
        priority: 0,
        owner_kind: 'ReplicaSet',
        owner_name: 'deepseek-r1-distill-llama-8b-747b9ccc8d',
        scheduled_at: '2026-11-20T20:07:03Z',
        ready_at: '2026-11-20T20:07:04Z',
      },
    ],
    [
      'pod-gpu-job-running',
      {
        name: 'finetune-lk5hs',
        phase: 'Running',
        workload_kind: 'Job',
        owner_name: 'finetune',
        owner_uid: '09300533-41b9-47d0-845a-833983de50c4',
      },
    ],
    ['pod-gpu-pending', { phase: 'Pending', reason: 'Unschedulable', node_name: '', owner_name: 'pretrain' }],
  ])('reads %s', (file, expected) => {
    const object = sample(`k8s/${file}.json`);
    const read = readPod(object);
    expect(read).toMatchObject({ ...expected, checkpoint_name: null, deleted: false });
    expect(read.labels).toEqual(object.metadata.labels ?? {});
  });

  it('reads the pods of a whole cluster', () => {
    const pods: PodColumns[] = sample('k8s/list-pods-minikube-1.35.json').items.map(readPod);
    const seen = pods.map((pod) =>
      [pod.name, pod.phase, pod.reason, `${pod.ready_containers}/${pod.total_containers}`, pod.restarts].join(' '),
    );
    expect(seen).toHaveLength(25);
    expect(seen).toEqual(
      expect.arrayContaining([
        'coredns-7d764666f9-qdcxt Running  1/1 0',
        'e2e-container-creating Running  0/1 2',
        'e2e-container-pending Pending Unschedulable 0/1 0',
        'e2e-cronjob-29707814-h2f28 Succeeded  0/1 0',
        'e2e-failjob-64h4g Failed Error 0/1 0',
        'e2e-statefulset-1 Running  1/1 0',
      ]),
    );
    const kinds = new Map<string | null, number>();
    for (const { workload_kind: kind } of pods) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    expect(Object.fromEntries(kinds)).toEqual({
      ReplicaSet: 7,
      Node: 4,
      DaemonSet: 3,
      Job: 6,
      StatefulSet: 2,
      null: 3,
    });
  });

  it("reads items of an API server's list, which have no kind", () => {
    const pods: PodColumns[] = sample('k8s/list-pods-api-local.json').items.map(readPod);
    expect(pods.map(({ name, phase }) => [name, phase])).toEqual([
      ['deepseek-r1-distill-llama-8b-747b9ccc8d-5tgk8', 'Running'],
      ['deepseek-r1-distill-llama-8b-747b9ccc8d-cdmfg', 'Running'],
      ['finetune-lk5hs', 'Running'],
      ['pretrain-qnfsn', 'Pending'],
    ]);
  });

  it('follows a watch: a pod that ends is deleted with its last phase, one without a node at once', () => {
    const events = sampleLines('k8s/watch-pods.jsonl').filter(({ type }) => type !== 'BOOKMARK');
    const course = events.map(({ object }) => {
      const { name, phase, node_name: node, deleted } = readPod(object);
      return [name.split('-')[0], phase, node !== '', deleted];
    });
    expect(course).toEqual([
      ['smoke', 'Pending', false, false],
      ['smoke', 'Pending', true, false],
      ['smoke', 'Pending', true, false],
      ['smoke', 'Running', true, false],
      ['smoke', 'Running', true, false],
      ['smoke', 'Succeeded', true, true],
      ['smoke', 'Succeeded', true, true],
      ['smoke', 'Succeeded', true, true],
      ['pretrain', 'Pending', false, true],
      ['pretrain', 'Pending', false, true],
    ]);
  });

  it('assigns a pod to its graph deployment, whatever owns the pod', () => {
    const pod = sample('k8s/pod-vllm-running.json');
    pod.metadata.labels = { ...pod.metadata.labels, ...graphLabel };
    expect(readPod(pod)).toMatchObject({ workload_kind: 'EngineGraphDeployment', owner_kind: 'ReplicaSet' });
  });
});

describe('readPod', () => {
  it('reads the checkpoint that a container requests', () => {
    const container = { name: 'main', env: [{ name: 'SVC_CHECKPOINT', value: 'train-7' }] };
    expect(readPod(buildPod('p', { spec: { containers: [container] } })).checkpoint_name).toBe('train-7');
  });

  it.each([
    [{ 'graph-deployment-name': 'g' }, 'EngineGraphDeployment'],
    [{ 'engine.example/graph-deployment-name': 'g' }, 'EngineGraphDeployment'],
    [graphLabel, 'EngineGraphDeployment'],
    [{ 'graph-deployment-names': 'g' }, null],
    [{ paragraph: 'g' }, null],
  ])('reads labels %p as workload %p', (labels, expected) =>
    expect(readPod(buildPod('p', { metadata: { labels } })).workload_kind).toBe(expected),
  );

  it.each([
    [
      'of the pod first',
      { reason: 'Evicted', containerStatuses: [{ state: { waiting: { reason: 'X' } } }] },
      'Evicted',
    ],
    [
      'of an init container',
      { initContainerStatuses: [{ state: { terminated: { reason: 'Error' } } }], containerStatuses: [] },
      'Error',
    ],
    [
      'of the first container that has one',
      {
        initContainerStatuses: [{ state: { terminated: { reason: 'Completed' } } }],
        containerStatuses: [{ state: { running: {} } }, { state: { waiting: { reason: 'ContainerCreating' } } }],
      },
      'ContainerCreating',
    ],
    ['that is missing while it works', {}, null],
  ])('shows the reason %s', (_case, status, expected) =>
    expect(readPod(buildPod('p', { status })).reason).toBe(expected),
  );

  it('clamps the sum of restarts to its column', () => {
    const containerStatuses = [{ restartCount: 2 }, { restartCount: 3, ready: true }, {}, null, { restartCount: -1 }];
    const spec = { containers: [{}, {}, {}] };
    expect(readPod(buildPod('p', { spec, status: { containerStatuses } }))).toMatchObject({
      restarts: 5,
      ready_containers: 1,
      total_containers: 3,
    });
    const many = [{ restartCount: 2 ** 31 - 1 }, { restartCount: 1 }];
    expect(readPod(buildPod('p', { status: { containerStatuses: many } })).restarts).toBe(2 ** 31 - 1);
  });

  it('is deleted only if its deletion is requested and it ended, or never ran', () => {
    const deletionTimestamp = '2026-01-02T03:04:05Z';
    const deleted = (phase: string, nodeName: string, metadata: Record<string, unknown>) =>
      readPod(buildPod('p', { metadata, spec: { nodeName }, status: { phase } })).deleted;
    expect(deleted('Running', 'n', { deletionTimestamp })).toBe(false);
    expect(deleted('Failed', 'n', { deletionTimestamp })).toBe(true);
    expect(deleted('Succeeded', 'n', {})).toBe(false);
    expect(deleted('Pending', '', { deletionTimestamp })).toBe(true);
    expect(deleted('Pending', '', {})).toBe(false);
  });

  it('reads a pod without members', () => {
    expect(readPod({ metadata: { name: 'p', uid: 'u' } })).toMatchObject({
      phase: 'Unknown',
      reason: null,
      node_name: '',
      ready_containers: 0,
      total_containers: 0,
      priority: null,
      started_at: null,
      resource_version: null,
      deleted: false,
    });
  });

  it('ignores times that PostgreSQL does not accept', () => {
    const metadata = { creationTimestamp: 'yesterday' };
    expect(readPod(buildPod('p', { metadata, status: { startTime: '2026-02-30T00:00:00Z' } }))).toMatchObject({
      started_at: null,
      object_created_at: null,
    });
  });
});
