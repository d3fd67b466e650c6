import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { parse } from 'yaml';
import { trimmed, type KubeObject, type Resource } from '../../../src/agent/controllers/kubernetes/cluster/resources';
import type { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { KubernetesCluster } from '../../../src/agent/controllers/kubernetes/kubernetes-cluster';
import { jobOf, largePod } from './large-pod';

const PROJECT = join(__dirname, '../../..');
const LIMITS = readFileSync(join(PROJECT, 'docker/kubernetes/components/two-controllers/controller.yaml'), 'utf8');
const GUIDE = readFileSync(join(PROJECT, 'docs/guides/agents-kubernetes.md'), 'utf8');

const PODS = 4_000;
const PODS_A_PAGE = 500;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** A cluster of so many pods, each of a job of its own, in which nothing changes. */
const clientWith = (pods: number): ClusterClient => {
  const page = (resource: Resource, start: number): object[] => {
    const written = (place: number): object => {
      const pod = largePod(start + place);
      return resource.kind === 'Job' ? jobOf(pod) : pod;
    };
    const objects = JSON.parse(JSON.stringify(Array.from({ length: PODS_A_PAGE }, (_, place) => written(place))));
    return (objects as KubeObject[]).map((object) => trimmed({ ...object, kind: resource.kind }, resource));
  };
  return {
    list: (resource: Resource) => {
      const starts =
        resource.kind === 'Node' ? [] : Array.from({ length: pods / PODS_A_PAGE }, (_, place) => place * PODS_A_PAGE);
      return Promise.resolve({ items: starts.flatMap((start) => page(resource, start)), resourceVersion: '1' });
    },
    // It ends with the signal.
    // oxlint-disable-next-line require-yield
    watch: async function* (
      _resource: unknown,
      _selection: unknown,
      _from: string,
      { signal }: { signal: AbortSignal },
    ) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  } as unknown as ClusterClient;
};

describe('the controller of Kubernetes', () => {
  let kept: number;

  beforeAll(async () => {
    const stop = new AbortController();
    const log = pino({ level: 'silent' });
    const cluster = new KubernetesCluster(clientWith(PODS), { namespaces: undefined, signal: stop.signal, log });
    const before = heapUsed();
    const running = cluster.run();
    await cluster.ready();
    kept = (heapUsed() - before) / PODS;
    expect([...cluster.pods.all()]).toHaveLength(PODS);
    expect([...cluster.jobs.all()]).toHaveLength(PODS);
    stop.abort();
    await running;
  });

  it('keeps a pod that is prepared as in its guide, and its job, in as much memory as the guide says', () => {
    const [, documented] = /in 4 to (\d+) KiB of memory/.exec(GUIDE) ?? [];
    expect(kept).toBeLessThan(Number(documented) * 1_024);
    // Smaller pods would show nothing.
    expect(kept).toBeGreaterThan(10 * 1_024);
  });

  it('has the memory for as many of them as its manifest says, also when it starts', () => {
    const [, pods = ''] = /For ([\d,]+) pods/.exec(LIMITS) ?? [];
    const { spec } = parse(LIMITS) as {
      spec: { template: { spec: { containers: { resources: { limits: { memory: string } } }[] } } };
    };
    const [, gibibytes] = /^(\d+)Gi$/.exec(spec.template.spec.containers[0]!.resources.limits.memory) ?? [];
    // Node's heap may have half of it. At the start, lists and reports take 0.4 of what the pods take.
    expect(Number(pods.replaceAll(',', '')) * kept * 1.4).toBeLessThan((Number(gibibytes) * 1_024 ** 3) / 2);
  });
});
