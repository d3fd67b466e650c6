import { AgentFailure } from '../../failures';
import { readJob, type SlurmJob, type SlurmRecord } from '../../slurm/records';
import type { ClusterContext } from '../common/cluster-context';
import type { SlurmCluster } from './slurm-cluster';
import { SlurmInventory } from './slurm-inventory';

interface Body {
  readonly nodes?: SlurmRecord[];
  readonly jobs?: SlurmRecord[];
}

/** A job as squeue or as sacct has it. */
interface Reported {
  readonly job_id: number;
  readonly job_state?: string[];
  readonly state?: { readonly current: string };
}

describe('the inventory of a Slurm cluster', () => {
  const node = { name: 'n1', state: ['MIXED'], cpus: 2, partitions: ['gpu'], alloc_cpus: 1, gres: 'gpu:1' };
  let nodes: SlurmRecord[];
  let jobs: SlurmJob[];
  /** What the service has. */
  let known: { job_id: number; status: string }[];
  /** The second page of its list. */
  let knownToo: { job_id: number; status: string }[];
  let isDown: boolean;
  let isUnreadable: boolean;
  /** How often the open jobs of the service were read, and what happens meanwhile. */
  let lists: number;
  let onList: () => void;
  /** A job of which sacct would print more than the agent reads. */
  let tooLarge: number | undefined;
  /** What sacct has; undefined: Slurm keeps no accounting. */
  let accounting: Map<number, SlurmRecord> | undefined;
  let asked: number[][];
  let warnings: string[];
  let sent: { path: string; body: Body }[];
  let inventory: SlurmInventory;

  beforeEach(() => {
    [nodes, jobs, known, sent, asked, warnings] = [[], [], [], [], [], []];
    knownToo = [];
    [isDown, isUnreadable, tooLarge] = [false, false, undefined];
    [lists, onList] = [0, () => {}];
    accounting = new Map();
    const POST = (path: string, { body }: { body: Body }) => {
      if (isDown && body.jobs) throw new Error('the service is down');
      sent.push({ path, body });
      return { data: 'synced' };
    };
    const GET = (_path: string, { params: { query } }: { params: { query: { offset?: number } } }) => {
      lists++;
      onList();
      if (isUnreadable) throw new Error('the list takes too long');
      if (query.offset !== undefined) return { data: knownToo, response: new Response() };
      const headers = { link: `</v1/slurm/jobs?offset=${known.length}>; rel="next"` };
      return { data: known, response: new Response(null, knownToo.length > 0 ? { headers } : {}) };
    };
    const send = async (_id: string, call: (api: object) => unknown) =>
      ((await call({ GET, POST })) as { data: unknown }).data;
    const cluster = {
      jobs: () => Promise.resolve(new Map(jobs.map((one) => [one.jobId, one]))),
      nodes: () => Promise.resolve(nodes),
      partitions: () => Promise.resolve([]),
      reservations: () => Promise.resolve([]),
      ended: (numbers: number[]) => {
        asked.push(numbers);
        if (tooLarge !== undefined && numbers.includes(tooLarge)) return Promise.reject(new Error('too much'));
        return accounting
          ? Promise.resolve(accounting)
          : Promise.reject(new AgentFailure({ cause: 'scheduler_refused', message: 'accounting is disabled' }));
      },
    };
    const log = { warn: (_facts: object, text: string) => void warnings.push(text), error: () => {} };
    const context = { service: { send }, log, signal: new AbortController().signal } as unknown as ClusterContext;
    inventory = new SlurmInventory(context, cluster as unknown as SlurmCluster, {
      everyMs: 1_000,
      onNodes: () => Promise.resolve(),
    });
  });

  describe('reports of nodes', () => {
    /** Nodes that one look reports. */
    async function look(records: SlurmRecord[], beat = false): Promise<SlurmRecord[][]> {
      nodes = records;
      sent = [];
      await inventory.report('cluster-1', beat);
      return sent.flatMap(({ path, body }) => (path.endsWith('/nodes/sync') ? [body.nodes ?? []] : []));
    }

    it('have the members that the service reads, the load among them', async () => {
      const load = { cpu_load: 150, free_mem: { set: true, infinite: false, number: 100 } };
      const { gres: _, ...read } = node;
      expect(await look([{ ...node, ...load }])).toEqual([[{ ...read, ...load }]]);
    });

    it('have load and allocation with the next heartbeat, and a changed node at once', async () => {
      await look([{ ...node, cpu_load: 150 }]);
      expect(await look([{ ...node, cpu_load: 170 }])).toEqual([]);
      expect(await look([{ ...node, cpu_load: 180 }], true)).toMatchObject([[{ cpu_load: 180 }]]);
      // Jobs come and go all the time, on thousands of nodes.
      expect(await look([{ ...node, alloc_cpus: 2, cpu_load: 190 }])).toEqual([]);
      const drained = { ...node, reason: 'disk', alloc_cpus: 2, cpu_load: 190 };
      expect(await look([drained])).toMatchObject([[{ reason: 'disk', alloc_cpus: 2, cpu_load: 190 }]]);
    });
  });

  describe('reports of jobs', () => {
    const job = (job_id: number, state: string): SlurmJob =>
      readJob({ job_id, job_state: [state], name: 'train', gres_detail: [] })!;
    const end = (job_id: number, state: string): SlurmRecord => ({
      ...{ job_id, name: 'train', state: { current: state, reason: 'None' }, time: { end: 9 }, steps: [{}] },
    });
    /** Numbers and states that one look reports. */
    async function look(shown: SlurmJob[], beat = false): Promise<string[]> {
      jobs = shown;
      sent = [];
      await inventory.report('cluster-1', beat).catch((error: unknown) => {
        if (!isDown) throw error;
      });
      // The answer of sacct is not awaited.
      await new Promise(setImmediate);
      const reported = sent.flatMap(({ body }) => body.jobs ?? []) as unknown as Reported[];
      return reported.map(({ job_id, job_state, state }) => `${job_id} ${job_state?.join() ?? state?.current}`);
    }

    it('have what has changed, and with a heartbeat all that has not ended', async () => {
      const two = [job(1, 'RUNNING'), job(2, 'COMPLETED')];
      expect(await look(two, true)).toEqual(['1 RUNNING', '2 COMPLETED']);
      expect(await look(two)).toEqual([]);
      expect(await look(two, true)).toEqual(['1 RUNNING']);
      expect(await look([job(1, 'FAILED')], true)).toEqual(['1 FAILED']);
      expect(await look([], true)).toEqual([]);
      expect(asked).toEqual([]);
    });

    it('have each end that Slurm forgot while the service was down', async () => {
      await look([job(1, 'RUNNING')], true);
      isDown = true;
      await look([job(1, 'NODE_FAIL'), job(2, 'OUT_OF_MEMORY')]);
      await look([job(3, 'RUNNING')]);
      isDown = false;
      expect(await look([job(3, 'RUNNING')])).toEqual(['1 NODE_FAIL', '2 OUT_OF_MEMORY', '3 RUNNING']);
      expect(await look([job(3, 'RUNNING')], true)).toEqual(['3 RUNNING']);
      expect(asked).toEqual([]);
    });

    it('have ends from the accounting, of jobs that Slurm forgot while it did not answer', async () => {
      await look([job(1, 'RUNNING'), job(2, 'PENDING'), job(3, 'RUNNING')], true);
      accounting?.set(1, end(1, 'NODE_FAIL'));
      expect(await look([job(3, 'RUNNING')], true)).toEqual(['3 RUNNING']);
      expect(asked).toEqual([[1, 2]]);
      expect(await look([job(3, 'RUNNING')])).toEqual(['1 NODE_FAIL']);
      expect(sent.flatMap(({ body }) => body.jobs ?? [])[0]).not.toHaveProperty('steps');
      // It learns late of the other one.
      accounting?.set(2, end(2, 'CANCELLED'));
      await look([job(3, 'RUNNING')], true);
      expect(await look([job(3, 'RUNNING')])).toEqual(['2 CANCELLED']);
      await look([job(3, 'RUNNING')], true);
      expect(asked).toEqual([[1, 2], [2]]);
    });

    it('have ends from the accounting, of jobs that only the service knows', async () => {
      known = [
        { job_id: 1, status: 'RUNNING' },
        { job_id: 2, status: 'RUNNING' },
        // An older service has those that have ended too.
        { job_id: 3, status: 'FAILED' },
      ];
      accounting?.set(1, end(1, 'OUT_OF_MEMORY'));
      expect(await look([job(2, 'RUNNING')], true)).toEqual(['2 RUNNING']);
      expect(asked).toEqual([[1]]);
      expect(await look([job(2, 'RUNNING')])).toEqual(['1 OUT_OF_MEMORY']);
      expect(await look([job(2, 'RUNNING')])).toEqual([]);
    });

    it('have ends from the accounting, although the jobs of the service cannot be read', async () => {
      isUnreadable = true;
      await look([job(1, 'RUNNING')], true);
      accounting?.set(1, end(1, 'NODE_FAIL'));
      await look([], true);
      expect(await look([])).toEqual(['1 NODE_FAIL']);
      [isUnreadable, known] = [false, [{ job_id: 7, status: 'RUNNING' }]];
      await look([], true);
      expect(asked.at(-1)).toEqual([7]);
    });

    it('are read of the service again for a new cluster, although those of the one before were under way', async () => {
      onList = () => inventory.forget();
      await look([], true);
      onList = () => {};
      expect(lists).toBe(1);
      await look([], true);
      expect(lists).toBe(2);
      await look([], true);
      expect(lists).toBe(2);
    });

    it('are read of the service again while several pages have new ones: each end moves those behind it', async () => {
      const row = (job_id: number) => ({ job_id, status: 'RUNNING' });
      [known, knownToo] = [[row(9), row(8)], [row(6)]];
      await look([], true);
      [known, knownToo] = [[row(9), row(7)], [row(6)]];
      await look([], true);
      expect(asked).toEqual([
        [9, 8, 6],
        [9, 8, 6, 7],
      ]);
      for (let beats = 0; beats < 3; beats++) await look([], true);
      expect(lists).toBe(6);
    });

    it('have the ends of all jobs but one of which the accounting has too much', async () => {
      tooLarge = 2;
      const numbers = [1, 2, 3, 4, 5];
      await look(
        numbers.map((number) => job(number, 'RUNNING')),
        true,
      );
      for (const number of numbers) accounting?.set(number, end(number, 'COMPLETED'));
      const reported: string[] = [];
      for (let beats = 0; beats < 10; beats++) reported.push(...(await look([], true)));
      expect(reported.sort()).toEqual([1, 3, 4, 5].map((number) => `${number} COMPLETED`));
      for (let beats = 0; beats < 100; beats++) await look([], true);
      expect(asked.length).toBeLessThan(100);
    });

    it('go on without accounting, which is logged once', async () => {
      accounting = undefined;
      await look([job(1, 'RUNNING')], true);
      await look([job(2, 'RUNNING')], true);
      expect(await look([job(2, 'RUNNING')], true)).toEqual(['2 RUNNING']);
      expect(asked).toEqual([[1], [1]]);
      expect(warnings).toHaveLength(1);
    });

    it('leave the accounting alone about jobs that Slurm shows again, and those of which it never has an end', async () => {
      await look([job(1, 'RUNNING'), job(2, 'RUNNING')], true);
      await look([job(2, 'RUNNING')]);
      await look([job(1, 'RUNNING')], true);
      expect(asked).toEqual([[2]]);
      for (let beats = 0; beats < 100; beats++) await look([job(1, 'RUNNING')], true);
      expect(asked).toHaveLength(60);
    });
  });
});
