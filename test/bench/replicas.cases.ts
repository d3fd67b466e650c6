import { availableParallelism } from 'node:os';
import { find } from '../support/components';
import { PgBouncer } from '../support/pg-bouncer';
import type { Bound, BenchCase, Side } from './bench';
import { Loaded, wireRequest, type Expected } from './loader';
import { nginx, type Nginx } from './nginx';
import { MICROSECONDS_PER_TICK, ownTicks, serverOf, serverTicks } from './processor-time';
import { profiles } from './rows';
import { expectSettled, newKeys, serveModel } from './traffic';
import { USAGE, WHOLE } from './worker-answers';
import { TOKEN, type Serving, type Workbench } from './workbench';

const COUNTS = [1, 2, 4] as const;
const CONNECTIONS = 32;
const REQUESTS = 2_400;
const MODEL = 'replicas';
const PREFIX = 'replicas-';
const CHAT = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: '' }] });
const CHATTED: Expected = { status: 200, isRight: (body) => body.equals(Buffer.from(WHOLE)) };
const REPORTED: Expected = { status: 204 };

/** Two replicas, their database, nginx, pgbouncer, the worker and the loader. */
const PROCESSORS_FOR_TWO = 7;
const haveProcessors = availableParallelism() >= PROCESSORS_FOR_TWO;
const FASTER = 1.6;
/** More replicas write in smaller batches, and each of them has its own background work. */
const DEARER = 1.25;

interface Fleet {
  readonly name: string;
  readonly balancer: Nginx;
  readonly pids: readonly number[];
}

const nameOf = (count: number): string => (count === 1 ? 'one replica' : `${count} replicas`);
const lanesOf = (request: (lane: number) => Buffer): Buffer[][] =>
  Array.from({ length: CONNECTIONS }, (_, lane) => {
    const one = request(lane);
    return Array.from({ length: REQUESTS / CONNECTIONS }, () => one);
  });

export const replicas: BenchCase = {
  name: 'replicas',
  what:
    `P12: ${COUNTS.join(', ')} replicas behind nginx, with pgbouncer before their database: ${REQUESTS} chats with ` +
    `${CONNECTIONS} keys and ${REQUESTS} reports of what is known, over ${CONNECTIONS} connections`,
  async prepare(bench) {
    if (find('pgbouncer') === undefined) return "pgbouncer is missing: install Debian's package pgbouncer";
    if (find('nginx') === undefined) return "nginx is missing: install Debian's package nginx-light";
    const opened: { stop(): Promise<void> }[] = [];
    const open = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
      const one = await starting;
      opened.unshift(one);
      return one;
    };
    const close = async () => {
      for (const one of opened) await one.stop();
    };
    try {
      const worker = await open(bench.beside('worker.ts'));
      await serveModel(bench, { logicalModel: MODEL, exactModel: 'w', endpoint: worker.url });
      const bouncer = await open(PgBouncer.before(bench.databaseUrl));
      const variables = { DATABASE_URL: bouncer.inFrontOf(bench.databaseUrl), DATABASE_LISTEN_URL: bench.databaseUrl };
      const all: Serving[] = [];
      for (let n = 0; n < Math.max(...COUNTS); n++) all.push(await open(bench.replica(variables)));
      const fleets: Fleet[] = [];
      for (const count of COUNTS) fleets.push(await fleetOf(all.slice(0, count), open));
      const orgId = await bench.orgId();
      const loads = fleets.flatMap((fleet) => [chats(bench, fleet), reports(bench, fleet, orgId)]);
      return {
        sides: loads.map(({ side }) => side),
        bounds: [...bounds('chats'), ...bounds('reports')],
        notes: () => [
          haveProcessors
            ? `with ${availableParallelism()} processors`
            : `with ${availableParallelism()} processors, which one replica and its database can use up: rates are not compared`,
          ...loads.map(({ loaded }) => loaded.toString()),
        ],
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
};

function bounds(work: string): Bound[] {
  const cost = (count: number): Bound => ({
    of: `${work} of ${nameOf(count)} processor time of each`,
    against: `${work} of ${nameOf(1)} processor time of each`,
    atMost: DEARER,
  });
  const rate: Bound = {
    of: `${work} of ${nameOf(2)} all`,
    against: `${work} of ${nameOf(1)} all`,
    atMost: 1 / FASTER,
  };
  return [...(haveProcessors ? [rate] : []), cost(2), cost(4)];
}

async function fleetOf(
  serving: readonly Serving[],
  open: (starting: Promise<Nginx>) => Promise<Nginx>,
): Promise<Fleet> {
  const starting = nginx(...serving.map(({ url }) => url)).then((one) => {
    if (typeof one === 'string') throw new Error(one);
    return one;
  });
  const balancer = await open(starting);
  return { name: nameOf(serving.length), balancer, pids: serving.flatMap(({ process: { pid } }) => pid ?? []) };
}

/** Processor time of a fleet and of its database, in microseconds. */
async function spent(bench: Workbench, { pids }: Fleet): Promise<number> {
  const { rows } = await bench.db.query<{ pid: number }>('select pg_backend_pid() as pid');
  return (ownTicks(pids) + serverTicks(serverOf(rows[0]?.pid ?? 0))) * MICROSECONDS_PER_TICK;
}

interface FleetLoad {
  readonly side: Side;
  readonly loaded: Loaded;
}

/** @param send until everything is written */
function measured(
  bench: Workbench,
  fleet: Fleet,
  work: string,
  send: (loaded: Loaded, round: number) => Promise<number>,
): FleetLoad {
  const name = `${work} of ${fleet.name}`;
  const loaded = new Loaded(name);
  const run = async (round: number): Promise<Record<string, number>> => {
    const before = await spent(bench, fleet);
    const milliseconds = await send(loaded, round);
    const each = ((await spent(bench, fleet)) - before) / REQUESTS / 1_000;
    return { all: milliseconds, 'processor time of each': each };
  };
  return { side: { name, run }, loaded };
}

const chats = (bench: Workbench, fleet: Fleet): FleetLoad =>
  measured(bench, fleet, 'chats', async (loaded, round) => {
    const keys = await newKeys(bench, CONNECTIONS);
    const lanes = lanesOf((lane) => wireRequest('/v1/inference/chat/completions', keys[lane]?.bearer ?? '', CHAT));
    const { milliseconds } = await loaded.send(round, fleet.balancer.url, lanes, CHATTED);
    await expectSettled(bench, keys, REQUESTS, USAGE);
    return milliseconds;
  });

const reports = (bench: Workbench, fleet: Fleet, orgId: string): FleetLoad =>
  measured(bench, fleet, 'reports', async (loaded, round) => {
    if (round === 0 && fleet.pids.length === 1) await bench.fill(profiles(orgId, PREFIX, 1, CONNECTIONS));
    const lanes = lanesOf((lane) =>
      wireRequest(
        '/v1/inference/activations/report',
        TOKEN,
        JSON.stringify({
          profile_id: `${PREFIX}${lane + 1}`,
          desired_state: 'Active',
          phase: 'Ready',
          ready: true,
          endpoint: 'http://10.0.3.7:8000',
          observed_generation: 3,
        }),
      ),
    );
    return (await loaded.send(round, fleet.balancer.url, lanes, REPORTED)).milliseconds;
  });
