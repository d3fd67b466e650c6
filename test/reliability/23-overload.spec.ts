import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { Replicas, type Replica } from '../support/replicas';
import { asAdmin, testServer } from '../support/test-server';
import { percentile, printFigures, recordFigure, type Figure } from '../support/figures';
import { flood, pinToServiceCore, wire, type FloodResult, type Stream, type StreamResult } from '../attacks/flood';
import { probeDuring } from '../attacks/probe';
import { peakDuring, servicePid } from '../support/resident';
import { connectionsTo } from '../support/tcp-connections';

const SECONDS = 8;
const PROFILES = 300;
const PODS = 50_000;
/** Few, so that nothing waits: this measures the capacity of the service. */
const PEAK_CONNECTIONS = 16;
const FLOOD_CONNECTIONS = 1_000;
/** Each sends one request per second: it waits as `Retry-After` says. */
const POLITE_CONNECTIONS = 100;
const OVERLOAD = 5;

let replicas: Replicas;
let replica: Replica;
let token: string;

const report = (profile: number): string =>
  wire('/v1/inference/activations/report', token, {
    profile_id: `p${profile}`,
    desired_state: 'Active',
    phase: 'Ready',
    ready: true,
    endpoint: 'http://10.0.3.7:8000',
    observed_generation: 3,
  });

beforeAll(async () => {
  await pinDatabase();
  replicas = await Replicas.start(1, { LOG_LEVEL: 'info' });
  replica = replicas.of(0);
  token = replicas.organisation().admin.token ?? '';
  pinToServiceCore(Number(servicePid(replica.process)));
  await fill();
  // Code is compiled at its first run.
  await send({ reports: { requests: reports(PROFILES), connections: PEAK_CONNECTIONS } }, 4);
});
afterAll(async () => {
  await replicas?.close();
  printFigures();
});

const reports = (count: number): string[] => Array.from({ length: count }, (_, n) => report(n));

/** A later process for a connection is bound with it. */
async function pinDatabase(): Promise<void> {
  await asAdmin(testServer().adminUrl, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    const file = readFileSync(join(rows[0]?.data_directory ?? '', 'postmaster.pid'), 'utf8');
    pinToServiceCore(Number(file.split('\n')[0]));
  });
}

async function fill(): Promise<void> {
  const { db } = replicas;
  await db.query(
    `insert into profiles (org_id, profile_id, logical_model, exact_model, profile_revision, compatibility_key, backend_url, hosting_mode,
       spec, estimated_cold_start_ms, min_replicas, max_replicas, target_concurrency, max_queue_depth, scale_down_idle_seconds, checkpoints)
     select o.id, 'p' || n, 'model', 'model', md5(n::text), md5(n::text), 'http://127.0.0.1:8000', 'managed',
       '{}', 60000, 0, 1, 1, 1, 300, true from organisations o, generate_series(0, $1::int - 1) n`,
    [PROFILES],
  );
  await replicas.organisation().operator.post('/v1/cluster', { cluster_name: 'overload' });
  await db.query(
    `insert into pods (org_id, id, cluster_id, uid, name, namespace, node_name, phase, ready_containers, total_containers, restarts,
       labels, object, deleted, resource_version, created_at)
     select c.org_id, gen_random_uuid(), c.id, gen_random_uuid(), 'pod-' || n, 'ns-' || n % 20, '',
       case n % 3 when 0 then 'Running' when 1 then 'Pending' else 'Succeeded' end, 1, 1, 0, '{}', '{}', false, n, clock_timestamp()
     from clusters c, generate_series(1, $1::int) n`,
    [PODS],
  );
  await db.query('analyze pods');
}

const send = (streams: Record<string, Stream>, seconds = SECONDS): Promise<FloodResult> =>
  flood({ url: replica.url, milliseconds: seconds * 1_000, streams });

const only = ({ streams }: FloodResult): StreamResult => Object.values(streams)[0] as StreamResult;

const check = (attack: string, measure: string, value: number, unit: string, bound: Figure['bound'], row = 23): void =>
  recordFigure({ row, attack, measure, value, unit, bound });

describe('a service with five times as many requests as it can answer', () => {
  it.each<[string, () => string[]]>([
    ['reports on one profile', () => [report(0)]],
    ['reports on 300 profiles', () => reports(PROFILES)],
    ['counts of 50,000 pods', () => [wire('/v1/pods/count', token)]],
  ])(
    'keeps 80 % of its best rate for %s, and refuses the others within 10 ms',
    async (attack, requests) => {
      const peak = only(await send({ peak: { requests: requests(), connections: PEAK_CONNECTIONS } }));
      const rate = peak.usefulPerSecond * OVERLOAD;
      const { result, peakMib } = await peakDuring(servicePid(replica.process), () =>
        send({
          flood: { requests: requests(), connections: FLOOD_CONNECTIONS, rate },
          polite: { requests: requests(), connections: POLITE_CONNECTIONS, rate: POLITE_CONNECTIONS },
        }),
      );
      const { flood: flooded, polite } = result.streams as Record<'flood' | 'polite', StreamResult>;
      // Only expected replies, and refusals.
      const statuses = Object.keys({ ...flooded.statuses, ...polite.statuses });
      expect(statuses.filter((status) => !['200', '204', '503'].includes(status))).toEqual([]);
      const useful = flooded.usefulPerSecond + polite.usefulPerSecond;
      const share = (useful * 100) / peak.usefulPerSecond;
      // All figures are printed, even if an earlier one fails.
      const faults = [
        () => check(attack, 'offered', rate, 'requests/s', undefined),
        () => check(attack, 'goodput', share, '%', { atLeast: 80 }),
        () => check(attack, 'p99 of successes', flooded.served.p99, 'ms', { atMost: 1_000 }),
        () => check(attack, 'p50 of refusals, of clients that wait a second', polite.refused.p50, 'ms', { atMost: 10 }),
        () => check(attack, 'p99 of refusals, of clients that wait a second', polite.refused.p99, 'ms', { atMost: 10 }),
        () => check(attack, 'p90 of these after the first second', polite.refusedLater.p90, 'ms', { atMost: 10 }),
        () => check(attack, 'p99 of these after the first second', polite.refusedLater.p99, 'ms', { atMost: 10 }),
        () => check(attack, 'p99 of refusals, of clients that do not', flooded.refused.p99, 'ms', { atMost: 1_000 }),
        () => check(attack, 'memory', peakMib, 'MiB', { atMost: 400 }),
      ].flatMap(faultOf);
      expect(faults).toEqual([]);
    },
    60_000,
  );

  it('answers reports of controllers despite a flood of reads', async () => {
    const counts = only(await send({ peak: { requests: [wire('/v1/pods/count', token)], connections: 8 } }, 4));
    const peak = only(await send({ peak: { requests: reports(PROFILES), connections: PEAK_CONNECTIONS } }, 4));
    const { streams } = await send({
      reports: { requests: reports(PROFILES), connections: 200, rate: peak.usefulPerSecond / 4 },
      counts: {
        requests: [wire('/v1/pods/count', token)],
        connections: 500,
        rate: counts.usefulPerSecond * OVERLOAD,
      },
      lists: {
        requests: [wire('/v1/inference/profiles?limit=10', token)],
        connections: 500,
        rate: peak.usefulPerSecond,
      },
    });
    const { reports: served, counts: counted, lists } = streams as Record<'reports' | 'counts' | 'lists', StreamResult>;
    const attack = 'reports beside five times the counts and as many lists';
    const share = ((served.statuses['204'] ?? 0) * 100) / (served.sent + served.unsent);
    const faults = [
      () => check(attack, 'reports answered', share, '%', { atLeast: 99 }),
      () => check(attack, 'p99 of reports', served.served.p99, 'ms', { atMost: 1_000 }),
    ].flatMap(faultOf);
    expect((counted.statuses['503'] ?? 0) + (lists.statuses['503'] ?? 0)).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  it('answers reports of controllers despite a flood of unknown bearers', async () => {
    const peak = only(await send({ peak: { requests: reports(PROFILES), connections: PEAK_CONNECTIONS } }, 4));
    const strangers = Array.from({ length: 5_000 }, (_, n) =>
      report(0).replace(token, `ccp_${String(n).padStart(43, 'x')}`),
    );
    const { streams } = await send({
      reports: { requests: reports(PROFILES), connections: 200, rate: peak.usefulPerSecond / 4 },
      strangers: { requests: strangers, connections: FLOOD_CONNECTIONS, rate: peak.usefulPerSecond * OVERLOAD },
    });
    const { reports: served } = streams as Record<'reports', StreamResult>;
    const attack = 'reports beside five times the capacity of unknown bearers';
    const share = ((served.statuses['204'] ?? 0) * 100) / (served.sent + served.unsent);
    const faults = [
      () => check(attack, 'reports answered', share, '%', { atLeast: 95 }),
      () => check(attack, 'p99 of reports', served.served.p99, 'ms', { atMost: 1_000 }),
    ].flatMap(faultOf);
    expect(faults).toEqual([]);
  });
});

describe('chats of ten keys beside one key that asks for five times what the service can answer', () => {
  const QUIET_KEYS = 10;
  const QUIET_RATE = 40;
  let worker: ChildProcess;
  let chats: Replica;
  let model: string;

  beforeAll(async () => {
    // In a process of its own, which costs less than one that records what it gets.
    worker = spawn(process.execPath, ['--import', 'tsx', 'test/bench/worker.ts'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(worker, 'exit').then(() => Promise.reject(new Error('the worker did not start')));
    const [line] = (await Promise.race([once(worker.stdout!, 'data'), ended])) as [Buffer];
    ended.catch(() => undefined);
    const url = /http\S+/.exec(String(line))?.[0] ?? '';
    chats = await replicas.add({ WORKER_ENDPOINT_ALLOW: `${new URL(url).host},llama-8b.models.svc` });
    pinToServiceCore(Number(servicePid(chats.process)));
    const ready = await readyProfile(
      replicas.organisation(chats),
      { url },
      { exact_model: 'w', target_concurrency: 4_096 },
    );
    model = await replicas.routeTo([ready]);
  });
  afterAll(() => void worker?.kill());

  it('are all answered, within twice their time without it', async () => {
    const asked = async (): Promise<string> =>
      wire(CHAT, (await createKey(replicas.organisation())).raw_key, question(model));
    const requests = await Promise.all(Array.from({ length: QUIET_KEYS }, asked));
    // More connections than keys: while some wait for their answers, the next ones are sent all the same.
    const quiet: Stream = { requests, connections: QUIET_KEYS * 4, rate: QUIET_RATE };
    const noisy = [await asked()];
    const send = (streams: Record<string, Stream>): Promise<FloodResult> =>
      flood({ url: chats.url, milliseconds: SECONDS * 1_000, streams });
    const peak = only(await send({ peak: { requests: noisy, connections: PEAK_CONNECTIONS } }));
    const before = only(await send({ quiet }));
    const rate = peak.usefulPerSecond * OVERLOAD;
    const { streams } = await send({ quiet, noisy: { requests: noisy, connections: FLOOD_CONNECTIONS, rate } });
    const { quiet: beside, noisy: flooding } = streams as Record<'quiet' | 'noisy', StreamResult>;
    const attack = 'ten keys beside one with five times the capacity in chats';
    const unanswered = beside.sent + beside.unsent - (beside.statuses['200'] ?? 0);
    const useful = ((flooding.usefulPerSecond + beside.usefulPerSecond) * 100) / peak.usefulPerSecond;
    const faults = [
      () => check(attack, 'chats of the ten keys without an answer', unanswered, '', { atMost: 0 }),
      () => check(attack, 'goodput', useful, '%', { atLeast: 80 }),
      () => check(attack, 'p50 of the ten keys', beside.served.p50, 'ms', { atMost: 2 * before.served.p50 }),
      () => check(attack, 'p99 of the ten keys', beside.served.p99, 'ms', { atMost: 2 * before.served.p99 }),
      () =>
        check(attack, 'p99 of these after the first second', beside.servedLater.p99, 'ms', {
          atMost: 2 * before.served.p99,
        }),
    ].flatMap(faultOf);
    expect(flooding.statuses['503'] ?? 0).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });
});

/** Prints every figure of an attack. */
function faultOf(figure: () => void): string[] {
  try {
    figure();
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

describe('slow clients', () => {
  interface Slow {
    readonly count: number;
    /** What each of them sends at once. */
    readonly first: string;
    /** What it sends every two seconds. */
    readonly piece?: string;
    /** Whether it reads what it gets. */
    readonly reads?: boolean;
  }

  let bearer: string;

  beforeAll(async () => {
    const made = await replicas.organisation(replica).admin.post('/v1/tokens', { name: 'beside', role: 'viewer' });
    bearer = (made.body as { raw_token: string }).raw_token;
  });

  /**
   * How long the service waits for each of them, in milliseconds, and at most this long: since they have
   * received the beginning of an answer that they do not read, or since they are connected.
   */
  async function open({ count, first, piece, reads = true }: Slow, mostMs: number): Promise<number[]> {
    const { hostname, port } = new URL(replica.url);
    const sockets = Array.from({ length: count }, () => connect({ host: hostname, port: Number(port) }));
    const since = new Map<Socket, number>();
    const lives = new Map<Socket, number>();
    const began = performance.now();
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      if (reads) socket.resume();
      else socket.pause();
      since.set(socket, began);
      socket.write(first);
    }
    await Promise.all(sockets.map(async (socket) => socket.connecting && (await once(socket, 'connect'))));
    const ports = new Map(sockets.map((socket) => [socket, socket.localPort ?? 0]));
    const drip = piece === undefined ? undefined : setInterval(() => sockets.forEach((s) => s.write(piece)), 2_000);
    while (lives.size < count && performance.now() - began < mostMs) {
      await sleep(CHECKED_EVERY_MS);
      const connections = connectionsTo(Number(port));
      const now = performance.now();
      for (const socket of sockets) {
        if (lives.has(socket)) continue;
        const { isOpen, unread } = connections.get(ports.get(socket) ?? 0) ?? { isOpen: false, unread: 0 };
        if (since.get(socket) === began && unread > 0) since.set(socket, now);
        if (!isOpen) lives.set(socket, now - (since.get(socket) ?? began));
      }
    }
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    return sockets.map((socket) => lives.get(socket) ?? mostMs);
  }

  const CHECKED_EVERY_MS = 250;
  /** For answers that begin late, and to see how late a connection ends. */
  const SPARE_MS = 30_000;
  /** Cut at the timeout: it is checked every half second, and the machine may be busy. */
  const LATE_MS = 1_500;
  /** The probe itself is not more precise. */
  const LEAST_MS = 2;
  const body = (): string =>
    'POST /v1/inference/activations/report HTTP/1.1\r\nhost: slow\r\ncontent-type: application/json\r\n' +
    `authorization: Bearer ${token}\r\ncontent-length: 1000\r\n\r\n`;
  const read = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: slow\r\nauthorization: Bearer ${token}\r\n\r\n`;

  /**
   * The faults of another client's requests meanwhile. It asks for what needs a place like any other, with a
   * bearer of its own: whoever sends more than the service can answer is refused.
   */
  async function besides(attack: string, work: () => Promise<unknown>): Promise<string[]> {
    const asked = { pauseMs: 20, path: '/v1/cluster', bearer };
    const quiet = await probeDuring(replica.url, () => sleep(5_000), asked);
    const { probe } = await probeDuring(replica.url, work, asked);
    const times = probe.p99 / Math.max(LEAST_MS, quiet.probe.p99);
    return [
      () => check(attack, 'requests of another client that failed', probe.failures.length, '', { atMost: 0 }, 24),
      () => expect(probe.failures).toEqual([]),
      () => check(attack, 'p50 of another client', percentile(probe.milliseconds, 0.5), 'ms', { atMost: 10 }, 24),
      () => check(attack, 'p99 of another client without them', quiet.probe.p99, 'ms', undefined, 24),
      () => check(attack, 'p99 of another client', probe.p99, 'ms', undefined, 24),
      () => check(attack, 'p99 of another client, of that without them', times, 'times', { atMost: 2 }, 24),
    ].flatMap(faultOf);
  }

  it.each<[string, number, () => Slow]>([
    [
      '1,000 that send their headers slowly',
      10_000,
      () => ({ count: 1_000, first: 'GET /v1/pods HTTP/1.1\r\nhost: slow\r\n', piece: 'x-slow: 1\r\n' }),
    ],
    ['1,000 that never ask', 10_000, () => ({ count: 1_000, first: '' })],
    ['1,000 that send their body slowly', 60_000, () => ({ count: 1_000, first: body(), piece: '{' })],
    [
      // All of the answer fits into the buffers of the system, so for the service these are idle.
      '1,000 that do not read a page of 500 pods',
      65_000,
      () => ({ count: 1_000, first: read('/v1/pods?limit=500'), reads: false }),
    ],
  ])(
    '%s lose their connections in time, and others are answered as before',
    async (attack, timeoutMs, slow) => {
      let lives: number[] = [];
      const faults = await besides(attack, async () => (lives = await open(slow(), timeoutMs + SPARE_MS)));
      const longest = Math.max(...lives);
      faults.push(
        ...faultOf(() => check(attack, 'longest connection', longest, 'ms', { atMost: timeoutMs + LATE_MS }, 24)),
      );
      expect(faults).toEqual([]);
    },
    180_000,
  );

  it('200 that do not read 8 MB occupy no place, and lose their connections in time', async () => {
    const { operator } = replicas.organisation(replica);
    for (let n = 0; n < 8; n++) expect((await operator.post('/v1/checkpoints')).status).toBe(200);
    await replicas.db.query("update checkpoints set info = to_json(repeat('x', 1000000))");
    // Ten seconds, and as long as a slow line needs.
    const timeoutMs = 10_000 + 8_100_000 / 64;
    const attack = '200 that do not read an answer of 8 MB';
    let lives: number[] = [];
    const faults = await besides(attack, async () => {
      const { result, peakMib } = await peakDuring(servicePid(replica.process), () =>
        open({ count: 200, first: read('/v1/checkpoints'), reads: false }, timeoutMs + SPARE_MS),
      );
      lives = result;
      check(attack, 'memory', peakMib, 'MiB', { atMost: 600 }, 24);
    });
    const longest = Math.max(...lives);
    faults.push(
      ...faultOf(() => check(attack, 'longest connection', longest, 'ms', { atMost: timeoutMs + LATE_MS }, 24)),
    );
    expect(faults).toEqual([]);
  }, 300_000);
});
