import { buildJob, buildNode, buildPod, ownedBy } from '../support/builders';
import { heartbeat, ofJobs, ofNamespace, ofPods, checkpoint, type Filter } from '../support/policies';
import { growthCase, REQUESTS, type Asked } from './growth.cases';
import type { Workbench } from './workbench';

/** The limit for both lists. */
const LISTED_MS = 30;

const PODS_OF_POLICIES = 50_000;
const POLICIES = 50;
const LISTED_PODS = 100_000;

const NODES = 200;
const NAMESPACES = 20;
/** Each owns as many pods, one of five of which belongs to none. */
const JOBS = 400;
/** Pods that a policy names. */
const NAMED = 100;
/** A cluster reports so many at once. */
const AT_ONCE = 5_000;
const DAY_SECONDS = 86_400;
const PAGE = 50;
/** A part of the names of few pods. */
const RARE = 'needle';
const RARE_EVERY = 5_000;

interface PolicyList {
  policies: { pod_count: number }[];
  total_count: number;
}

/** Every policy acts on something. */
const allPolicies = (body: unknown): boolean => {
  const { policies, total_count: total } = body as PolicyList;
  return total === POLICIES && policies.length === POLICIES && policies.every(({ pod_count: pods }) => pods > 0);
};

export const policyList = growthCase({
  name: 'policy-list',
  what: `a list of ${POLICIES} policies over ${PODS_OF_POLICIES} pods: p95 of ${REQUESTS} requests`,
  sizes: [PODS_OF_POLICIES],
  asked: ['policy/list', 'policy/pipeline/list'].map((path) => ({
    name: path,
    path: `${path}?limit=${POLICIES}`,
    holds: allPolicies,
    atMostMs: LISTED_MS,
  })),
  async fill(bench, size) {
    const { clusterId, uids } = await fillPods(bench, size);
    const filters = Array.from({ length: POLICIES }, (_, place): Filter => {
      if (place % 5 === 3) return ofPods(clusterId, uids.slice(place * NAMED, (place + 1) * NAMED));
      if (place % 5 === 4) return ofJobs(clusterId, `team-${place % NAMESPACES}`);
      return ofNamespace(clusterId, `team-${place % NAMESPACES}`);
    });
    for (const [place, filter] of filters.entries()) {
      const pipeline = { trigger: heartbeat(DAY_SECONDS), filter, action: checkpoint() };
      await bench.post('/v1/policy/pipeline/create', JSON.stringify({ name: `policy ${place}`, pipeline }));
    }
    await calm(bench);
  },
});

interface PodList {
  pods: { name: string }[];
  total_count: number;
}

const podsOf = (name: string, query: string, rows = PAGE, total?: (size: number) => number): Asked => ({
  name,
  path: `pods/paginated?limit=${PAGE}&${query}`,
  holds: (body, size) => {
    const { pods, total_count: found } = body as PodList;
    return pods.length === rows && (total === undefined || found === total(size));
  },
  atMostMs: LISTED_MS,
});

const all = (size: number): number => size;
const rare = LISTED_PODS / RARE_EVERY;

export const podList = growthCase({
  name: 'pod-list',
  what: `pods/paginated at ${LISTED_PODS} pods: p95 of ${REQUESTS} requests`,
  sizes: [LISTED_PODS],
  asked: [
    podsOf('by name', '', PAGE, all),
    podsOf('by name, page 1,000', `offset=${PAGE * 999}`, PAGE, all),
    podsOf('by age', 'sort=age', PAGE, all),
    podsOf('by age, youngest first', 'sort=age&ascending=false', PAGE, all),
    podsOf('by node', 'sort=node', PAGE, all),
    podsOf('by restarts, most first', 'sort=restarts&ascending=false', PAGE, all),
    podsOf('one namespace', 'namespace=team-3', PAGE, (size) => size / NAMESPACES),
    podsOf('one status', 'status=Running', PAGE, all),
    podsOf('a part of all names', 'pod_name=train', PAGE, all),
    podsOf('a part of few names', `pod_name=${RARE.toUpperCase()}`, rare, () => rare),
    podsOf('a part of few names, by age', `pod_name=${RARE}&sort=age`, rare, () => rare),
    podsOf('a part of no name', 'pod_name=nowhere', 0, () => 0),
  ],
  async fill(bench, size) {
    await fillPods(bench, size);
    await calm(bench);
  },
});

/** Reports nodes, jobs and running pods as a cluster does. @returns the uids of the pods */
async function fillPods(bench: Workbench, size: number): Promise<{ clusterId: string; uids: string[] }> {
  const clusterId = await bench.cluster('lists', 'kubernetes');
  const report = async (resources: readonly object[]): Promise<void> => {
    const { text } = await bench.post('/v1/cluster/sync/batch', JSON.stringify({ cluster_id: clusterId, resources }));
    if (text !== JSON.stringify({ synced: resources.length, failed: [] })) throw new Error(text.slice(0, 500));
  };
  await report(Array.from({ length: NODES }, (_, place) => buildNode(`node-${place}`)));
  const jobs = Array.from({ length: JOBS }, (_, place) =>
    buildJob(`job-${place}`, { metadata: { namespace: `team-${place % NAMESPACES}` } }),
  );
  await report(jobs);
  const uids: string[] = [];
  const began = Date.parse('2026-01-01T00:00:00Z');
  for (let first = 0; first < size; first += AT_ONCE) {
    const pods = Array.from({ length: Math.min(AT_ONCE, size - first) }, (_, n) => {
      const place = first + n;
      const job = place % 5 === 0 ? undefined : jobs[place % JOBS];
      const name = `train-${place % RARE_EVERY === 0 ? `${RARE}-` : ''}${place.toString(36)}`;
      return buildPod(name, {
        metadata: {
          namespace: `team-${place % NAMESPACES}`,
          // Not in the order of their names.
          creationTimestamp: new Date(began + ((place * 7_919) % size) * 1_000).toISOString(),
          ...(job && ownedBy(job)),
        },
        spec: { nodeName: `node-${place % NODES}` },
      });
    });
    uids.push(...pods.map(({ metadata }) => metadata.uid));
    await report(pods);
  }
  return { clusterId, uids };
}

/** As if some time had passed, in which the nodes were reported again and again. */
const calm = (bench: Workbench): Promise<void> =>
  bench.fill(
    { text: "update nodes set synced_at = clock_timestamp() + interval '1 hour'" },
    { text: 'vacuum analyze pods, nodes, jobs, policies' },
    { text: 'checkpoint' },
  );
