import { missing } from '../support/components';
import { sample } from '../support/samples';
import type { BenchCase, Side } from './bench';
import { havePsql, type Workbench } from './workbench';

interface Sync {
  name: string;
  what: string;
  table: string;
  kind: 'kubernetes' | 'slurm';
  records: number;
  path(clusterId: string): string;
  /** @param prefix distinguishes them from those of another cluster */
  body(clusterId: string, prefix: string): string;
  /** Before the first sync of a cluster. */
  arrange?(bench: Workbench, clusterId: string): Promise<void>;
  answered(text: string, records: number): boolean;
  bounds: { first: number; unchanged: number };
}

/** A sync of many records, its repetition, and a copy of the written rows by psql into the same table. */
function syncCase(sync: Sync): BenchCase {
  return {
    name: sync.name,
    what: sync.what,
    prepare(bench) {
      if (missing(['../shared/samples']).length > 0) return 'missing: ../shared/samples';
      if (!havePsql) return 'psql is not installed';
      let current = { clusterId: '', body: '' };

      const send = async (): Promise<number> => {
        const { text, milliseconds } = await bench.post(sync.path(current.clusterId), current.body);
        if (!sync.answered(text, sync.records)) throw new Error(`${sync.name} was answered ${text.slice(0, 300)}`);
        const rows = await bench.count(sync.table, current.clusterId);
        if (rows !== sync.records) throw new Error(`${sync.name} stored ${rows} rows`);
        return milliseconds;
      };
      const first: Side = {
        name: 'sync',
        async run(round) {
          const clusterId = await bench.cluster(`${sync.name}-${round}`, sync.kind);
          await sync.arrange?.(bench, clusterId);
          current = { clusterId, body: sync.body(clusterId, `r${round}`) };
          return send();
        },
      };
      const unchanged: Side = { name: 'sync unchanged', run: send };
      const copy: Side = {
        name: 'psql copy',
        isReference: true,
        async run(round) {
          const clusterId = await bench.cluster(`${sync.name}-copy-${round}`, sync.kind);
          const identity = sync.kind === 'slurm' ? ['id'] : [];
          const columns = await bench.columns(sync.table, identity);
          const other = columns.map((name) =>
            name === '"cluster_id"' ? `'${clusterId}'::uuid` : name === '"id"' ? 'gen_random_uuid()' : name,
          );
          const query = `select ${other.join(', ')} from ${sync.table} where cluster_id = '${current.clusterId}'`;
          const file = await bench.dump(query, `${sync.name}.copy`);
          const milliseconds = await bench.psql(`\\copy ${sync.table} (${columns.join(', ')}) from '${file}'`);
          if ((await bench.count(sync.table, clusterId)) !== sync.records) throw new Error('the copy is not whole');
          return milliseconds;
        },
      };
      return {
        sides: [first, unchanged, copy],
        bounds: [
          { of: 'sync', against: 'psql copy', atMost: sync.bounds.first },
          { of: 'sync unchanged', against: 'sync', atMost: sync.bounds.unchanged },
        ],
      };
    },
  };
}

const copies = (objects: object[], count: number, change: (object: never, place: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, place) => change(objects[place % objects.length] as never, place));

const PODS = 5_000;
const JOBS = 10_000;

export const podSync = syncCase({
  name: 'pod-sync',
  what: `P6: POST /v1/cluster/sync/batch of ${PODS} real pods`,
  table: 'pods',
  kind: 'kubernetes',
  records: PODS,
  path: () => '/v1/cluster/sync/batch',
  async arrange(bench, clusterId) {
    const nodes = new Set<string>(
      realPods()
        .map(({ spec }) => spec.nodeName)
        .filter(Boolean),
    );
    const resources = [...nodes].map((name) => ({ type: 'Node', kind: 'Node', metadata: { name } }));
    await bench.post('/v1/cluster/sync/batch', JSON.stringify({ cluster_id: clusterId, resources }));
  },
  body(clusterId, prefix) {
    const resources = copies(realPods(), PODS, (pod: RealPod, place) => ({
      ...pod,
      type: 'Pod',
      kind: 'Pod',
      metadata: { ...pod.metadata, name: `${pod.metadata.name}-${place}`, uid: `${prefix}-${place}` },
    }));
    return JSON.stringify({ cluster_id: clusterId, resources });
  },
  answered: (text, records) => text === JSON.stringify({ synced: records, failed: [] }),
  bounds: { first: 5, unchanged: 0.4 },
});

interface RealPod {
  metadata: { name: string };
  spec: { nodeName: string };
}

const realPods = (): RealPod[] => sample('k8s/list-pods-minikube-1.35.json').items as RealPod[];

export const slurmSync = syncCase({
  name: 'slurm-sync',
  what: `P7: POST /v1/slurm/jobs/sync of ${JOBS} jobs as squeue --json of 22.05 prints them`,
  table: 'slurm_jobs',
  kind: 'slurm',
  records: JOBS,
  path: (clusterId) => `/v1/slurm/jobs/sync?cluster_id=${clusterId}`,
  body(_clusterId, prefix) {
    const { jobs, ...envelope } = sample('slurm-jobs.json') as { jobs: object[] };
    const made = copies(jobs, JOBS, (job: { name: string }, place) => ({
      ...job,
      job_id: place + 1,
      name: `${job.name}-${prefix}`,
    }));
    return JSON.stringify({ ...envelope, jobs: made });
  },
  answered: (text, records) => text === `synced ${records} jobs`,
  bounds: { first: 5, unchanged: 1 },
});
