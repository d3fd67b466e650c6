import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { trimmed, type KubeObject, type Resource } from '../../../src/agent/controllers/kubernetes/cluster/resources';
import type { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { KubernetesCluster } from '../../../src/agent/controllers/kubernetes/kubernetes-cluster';
import { jobOf, largePod } from './large-pod';

const PODS_A_PAGE = 500;

/** Keeps so many pods and their jobs, and prints how many it has, and how many bytes they take. */
async function main(pods: number): Promise<void> {
  const stop = new AbortController();
  const log = pino({ level: 'silent' });
  const cluster = new KubernetesCluster(clientWith(pods), { namespaces: undefined, signal: stop.signal, log });
  const before = heapUsed();
  const running = cluster.run();
  await cluster.ready();
  const bytes = heapUsed() - before;
  console.log(JSON.stringify({ bytes, pods: [...cluster.pods.all()].length, jobs: [...cluster.jobs.all()].length }));
  stop.abort();
  await running;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function heapUsed(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** A cluster of so many pods, each of a job of its own, in which nothing changes. */
function clientWith(pods: number): ClusterClient {
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
}

void main(Number(process.argv[2]));
