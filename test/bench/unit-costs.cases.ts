import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { buildNode, buildPod } from '../support/builders';
import { buildEvent } from '../support/profiles';
import { largeBody1, HEADERS_1, type BuiltSeries } from '../support/remote-write';
import type { BenchCase, Side } from './bench';
import { load, wireRequest, type Expected } from './loader';
import { MICROSECONDS_PER_TICK, ownTicks, serverOf, serverTicks } from './processor-time';
import { profiles } from './rows';
import { expectSettled, newKeys, serveModel, type Key } from './traffic';
import { USAGE } from './worker-answers';
import { servicePids, TOKEN, type Workbench } from './workbench';

const CONNECTIONS = 16;
const REQUESTS = 40;
const ALL = CONNECTIONS * REQUESTS;
const PODS = 1_000;
const NODES = 100;
/** Nodes of a batch of samples, and what each of them reports. */
const REPORTING = 20;
const GPU_METRICS = ['GPU_UTIL', 'MEM_COPY_UTIL', 'FB_USED', 'FB_FREE', 'GPU_TEMP', 'POWER_USAGE'];
const CPU_MODES = ['idle', 'iowait', 'irq', 'nice', 'softirq', 'steal', 'system', 'user'];
const MEMORY = [
  'Active',
  'Buffers',
  'Cached',
  'Dirty',
  'Inactive',
  'MemAvailable',
  'MemFree',
  'MemTotal',
  'Shmem',
  'Slab',
];
const NETWORK = ['receive_bytes', 'receive_errs', 'receive_packets', 'transmit_bytes', 'transmit_packets'];
/** A sample takes so little that few of them are within a tick of the clock. */
const SAMPLE_BATCHES = 100;
const MODEL = 'unit-costs';
const PREFIX = 'unit-costs-';

const LOGGED = "select (pg_current_wal_insert_lsn() - '0/0')::float8 as logged";
const MEASURED = `
  select pg_backend_pid() as pid, pg_database_size(current_database())::float8 as stored, written.logged
  from (${LOGGED}) written`;

interface Taken {
  readonly service: number;
  readonly database: number;
  readonly stored: number;
  readonly logged: number;
}

async function taken(bench: Workbench): Promise<Taken> {
  const { rows } = await bench.db.query<{ pid: number; stored: number; logged: number }>(MEASURED);
  const { pid, stored, logged } = rows[0] ?? { pid: 0, stored: NaN, logged: NaN };
  return { service: ownTicks(servicePids()), database: serverTicks(serverOf(pid)), stored, logged };
}

/** Late writes come in batches, which are closer together than this. */
const QUIET_MS = 100;
/** Background work may write at any time: the wait for its end has a bound. */
const QUIET_WITHIN_MS = 3_000;

/** Waits until the database has written nothing for a while: some is written after the reply. */
async function quiet(bench: Workbench): Promise<void> {
  const begun = performance.now();
  for (let before = NaN; performance.now() - begun < QUIET_WITHIN_MS; await sleep(QUIET_MS)) {
    const { rows } = await bench.db.query<{ logged: number }>(LOGGED);
    const logged = rows[0]?.logged ?? NaN;
    if (logged === before) return;
    before = logged;
  }
}

/** One unit of work, by what it costs the machines that it runs on. */
interface Unit {
  readonly name: string;
  /** Units of one run. */
  readonly count: number;
  /** Before the first round is measured. */
  readonly begin?: () => Promise<unknown>;
  /** Before each round is measured. */
  readonly prepare?: () => Promise<unknown>;
  readonly run: (round: number) => Promise<unknown>;
  /** Whether all that was asked is written; within what is measured. */
  readonly settled?: () => Promise<unknown>;
}

const side = (bench: Workbench, { name, count, begin, prepare, run, settled }: Unit): Side => ({
  name,
  unit: 'µs or bytes',
  run: async (round) => {
    if (round === 0) await begin?.();
    await prepare?.();
    const before = await taken(bench);
    await run(round);
    // The check itself costs the database something: it comes when it probably holds.
    await quiet(bench);
    await settled?.();
    const after = await taken(bench);
    const each = (figure: keyof Taken, factor = 1): number => ((after[figure] - before[figure]) * factor) / count;
    return {
      'service time': each('service', MICROSECONDS_PER_TICK),
      'database time': each('database', MICROSECONDS_PER_TICK),
      'bytes of its log': each('logged'),
      'bytes stored': each('stored'),
    };
  },
});

const lanes = (request: (lane: number, place: number) => Buffer): Buffer[][] =>
  Array.from({ length: CONNECTIONS }, (_, lane) =>
    Array.from({ length: REQUESTS }, (_request, place) => request(lane, place)),
  );

const OK: Expected = { status: 200 };
const PHASES = ['Pending', 'Scheduling', 'Loading', 'Ready', 'Suspended'];

function reports(bench: Workbench, orgId: string): Unit[] {
  const report = (phase: string) => (lane: number) =>
    wireRequest(
      '/v1/inference/activations/report',
      TOKEN,
      JSON.stringify({
        profile_id: `${PREFIX}${lane + 1}`,
        desired_state: phase === 'Suspended' ? 'Suspended' : 'Active',
        phase,
        ready: phase === 'Ready',
        endpoint: 'http://10.0.3.7:8000',
        observed_generation: 3,
      }),
    );
  return [
    {
      name: 'a report of what is known',
      count: ALL,
      begin: async () => {
        await bench.fill(profiles(orgId, PREFIX, 1, CONNECTIONS));
        await load(bench.url, lanes(report('Ready')));
      },
      run: () => load(bench.url, lanes(report('Ready'))),
    },
    {
      name: 'a report of a change',
      count: ALL,
      run: () =>
        load(
          bench.url,
          lanes((lane, place) => report(PHASES[place % PHASES.length] ?? '')(lane)),
        ),
    },
  ];
}

async function requests(bench: Workbench, endpoint: string): Promise<Unit[]> {
  await serveModel(bench, { logicalModel: MODEL, exactModel: 'w', endpoint });
  const keys = await newKeys(bench, CONNECTIONS);
  const bearer = (lane: number): string => keys[lane]?.bearer ?? '';
  const authorize = (lane: number): Buffer =>
    wireRequest(
      '/v1/inference/router/authorize',
      bearer(lane),
      JSON.stringify({ request_id: newId(), logical_model: MODEL }),
    );
  const question = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: '' }] });
  // Their accounts are compared, so each round has new ones.
  let asking: readonly Key[] = [];
  const ask = (lane: number): Buffer =>
    wireRequest('/v1/inference/chat/completions', asking[lane]?.bearer ?? '', question);
  return [
    { name: 'an authorised request', count: ALL, run: () => load(bench.url, lanes(authorize), OK) },
    {
      name: 'a chat',
      count: ALL,
      prepare: async () => void (asking = await newKeys(bench, CONNECTIONS)),
      run: () => load(bench.url, lanes(ask), OK),
      settled: () => expectSettled(bench, asking, ALL, USAGE),
    },
  ];
}

function inventory(bench: Workbench, clusterId: string): Unit[] {
  const uids = Array.from({ length: PODS }, () => newId());
  const sync = async (resources: readonly object[]): Promise<void> => {
    const { text } = await bench.post('/v1/cluster/sync/batch', JSON.stringify({ cluster_id: clusterId, resources }));
    const { synced } = JSON.parse(text) as { synced: number };
    if (synced !== resources.length) throw new Error(`${synced} of ${resources.length} were synced: ${text}`);
  };
  const nodes = Array.from({ length: NODES }, (_, place) => buildNode(`node-${place}`));
  const pods = (version: number): object[] =>
    uids.map((uid, place) =>
      buildPod(`pod-${place}`, {
        metadata: { uid, resourceVersion: String(1_000 + version) },
        spec: { nodeName: `node-${place % NODES}`, containers: [{ name: 'main', image: 'train:1' }] },
      }),
    );
  const event = (lane: number): Buffer =>
    wireRequest('/v1/inference/lifecycle-events', TOKEN, JSON.stringify(buildEvent(clusterId, `${PREFIX}${lane + 1}`)));
  const list = (): Buffer => wireRequest('/v1/pods?limit=50', TOKEN);
  return [
    { name: 'a pod that changed', count: PODS, begin: () => sync(nodes), run: (round) => sync(pods(round)) },
    { name: 'a lifecycle event', count: ALL, run: () => load(bench.url, lanes(event)) },
    { name: 'a list of 50 pods', count: ALL, run: () => load(bench.url, lanes(list), OK) },
  ];
}

/** The series of a node with 8 GPUs, which a pod holds, 4 processors and 2 interfaces. */
function seriesOfNode(node: string): Record<string, string>[] {
  const host = { instance: `${node}:9100` };
  return [
    ...Array.from({ length: 8 }, (_, gpu) =>
      GPU_METRICS.map((metric) => ({
        __name__: `DCGM_FI_DEV_${metric}`,
        gpu: String(gpu),
        UUID: `GPU-${node}-${gpu}`,
        Hostname: node,
        exported_namespace: 'training',
        exported_pod: `worker-${node}`,
      })),
    ).flat(),
    ...Array.from({ length: 4 }, (_, cpu) =>
      CPU_MODES.map((mode) => ({ __name__: 'node_cpu_seconds_total', cpu: String(cpu), mode, ...host })),
    ).flat(),
    ...MEMORY.map((what) => ({ __name__: `node_memory_${what}_bytes`, ...host })),
    ...['eth0', 'eth1'].flatMap((device) =>
      NETWORK.map((what) => ({ __name__: `node_network_${what}_total`, device, ...host })),
    ),
  ];
}

function samples(bench: Workbench): Unit {
  const begun = Date.now();
  const labels = Array.from({ length: REPORTING }, (_, node) => seriesOfNode(`node-${node}`)).flat();
  let sent = 0;
  const send = async (): Promise<void> => {
    const at = begun + ++sent * 15_000 - 3_600_000;
    const series = labels.map((one, n): BuiltSeries => ({ labels: one, samples: [[at, n % 100]] }));
    const headers = { ...HEADERS_1, authorization: `Bearer ${TOKEN}` };
    const body = new Uint8Array(largeBody1(series));
    const answer = await fetch(`${bench.url}/v1/metrics/write`, { method: 'POST', headers, body });
    if (answer.status !== 204) throw new Error(`samples were answered ${answer.status}: ${await answer.text()}`);
  };
  return {
    name: 'a sample',
    count: labels.length * SAMPLE_BATCHES,
    // Series are created once.
    begin: send,
    run: async () => {
      for (let batch = 0; batch < SAMPLE_BATCHES; batch++) await send();
    },
  };
}

/**
 * What docs/scaling.md computes with. Processor time is that of all processes, with background work that
 * falls into the round.
 */
export const unitCosts: BenchCase = {
  name: 'unit-costs',
  what:
    `what one of each costs the service and its database: processor time, the log, and disk, over ${CONNECTIONS} connections, ` +
    `until all of it is written. Pods are sent in batches of ${PODS}, samples in batches of ${REPORTING} nodes`,
  async prepare(bench) {
    const worker = await bench.beside('worker.ts');
    const orgId = await bench.orgId();
    const clusterId = await bench.cluster('unit-costs', 'kubernetes');
    const units = [
      ...reports(bench, orgId),
      ...(await requests(bench, worker.url)),
      ...inventory(bench, clusterId),
      samples(bench),
    ];
    return { sides: units.map((unit) => side(bench, unit)), bounds: [], close: () => worker.stop() };
  },
};
