import { onBusyMachine } from './busy-machine';
import { quantile, type Bound, type BenchCase, type Side } from './bench';
import { nginx } from './nginx';
import { Loaded, wireRequest, type Expected } from './loader';
import { portkey, portkeyHeaders } from './portkey';
import { expectSettled, newKeys, serveModel } from './traffic';
import { USAGE, WHOLE } from './worker-answers';
import type { Workbench } from './workbench';

const SERVICE_PATH = '/v1/inference/chat/completions';
const PATH = '/v1/chat/completions';
const LOGICAL_MODEL = 'm';
const EXACT_MODEL = 'w';

/** Requests of a round, by concurrency. */
const LOADS = [
  { connections: 1, requests: 500 },
  { connections: 8, requests: 2_000 },
  { connections: 32, requests: 4_000 },
];
const MOST = 32;

/** 55 bytes. */
const request = (model: string): string => JSON.stringify({ model, messages: [{ role: 'user', content: '' }] });

/** Each of them passes the worker's reply on unchanged. */
const EXPECTED: Expected = { status: 200, isRight: (body) => body.equals(Buffer.from(WHOLE)) };

interface Target {
  name: string;
  url: string;
  path: string;
  model: string;
  headers?: Record<string, string>;
  /** Keys that it requires, which the connections use in turn; none if it requires none. */
  keys: number;
  /** Beside one busy loop per processor. */
  isBusy?: boolean;
}

export const chat: BenchCase = {
  name: 'chat',
  what: `P4: chat, not streamed, ${request(LOGICAL_MODEL).length}-byte request, ${WHOLE.length}-byte answer; the service with key, rate, budget, reservation, ledger and usage`,
  async prepare(bench) {
    const worker = await bench.beside('worker.ts');
    const model = { logicalModel: LOGICAL_MODEL, exactModel: EXACT_MODEL, endpoint: worker.url };
    await serveModel(bench, model);
    const gateway = await portkey(bench);
    const proxy = await nginx(worker.url);
    const bare = await bench.beside('bare-proxy.ts', { TARGET: worker.url });
    const direct: Target = { name: 'worker', url: worker.url, path: PATH, model: EXACT_MODEL, keys: 0 };
    const service = { name: 'service', url: bench.url, path: SERVICE_PATH, model: LOGICAL_MODEL, keys: 1 };
    const others = [
      ...(typeof gateway === 'string'
        ? []
        : [{ ...direct, name: 'portkey', url: gateway.url, headers: portkeyHeaders(worker.url) }]),
      { ...direct, name: 'bare proxy', url: bare.url },
      ...(typeof proxy === 'string' ? [] : [{ ...direct, name: 'nginx', url: proxy.url }]),
    ];
    const absent = [gateway, proxy].filter((one) => typeof one === 'string');
    const all = LOADS.flatMap((load) => [direct, service, ...others].map((target) => sideOf(bench, target, load)));
    const many = { ...service, name: `service with ${MOST} keys`, keys: MOST };
    all.push(...LOADS.slice(-1).map((load) => sideOf(bench, many, load)));
    const beside = [direct, service].map((target) => ({
      ...target,
      name: `${target.name}, busy machine`,
      isBusy: true,
    }));
    all.push(...LOADS.slice(0, 1).flatMap((load) => beside.map((target) => sideOf(bench, target, load))));
    return {
      sides: all.map(({ side }) => side),
      bounds: [
        ...(typeof gateway === 'string' ? [] : AGAINST_PORTKEY),
        { of: 'service c=1 p50', over: 'worker c=1 p50', atMost: MOST_ADDED_MS },
        // What the same request costs while others want every processor: reported, not promised.
        { of: 'service, busy machine c=1 p50', over: 'worker, busy machine c=1 p50' },
        { of: `service c=${MOST} all`, against: `bare proxy c=${MOST} all`, atMost: 1 / SHARE_OF_BARE },
      ],
      notes: () => [...absent, ...all.flatMap(({ notes }) => notes())],
      close: async () => {
        await bare.stop();
        if (typeof proxy !== 'string') await proxy.stop();
        if (typeof gateway !== 'string') await gateway.stop();
        await worker.stop();
      },
    };
  },
};

/** What the service may add to one request at a time. */
const MOST_ADDED_MS = 0.7;
/** The minimal share of the requests per second of a proxy that checks nothing. */
const SHARE_OF_BARE = 0.5;
/** The minimal ratios of requests per second, with one key and with a key for each connection. */
const OVER_PORTKEY = 2;
const OVER_PORTKEY_WITH_KEYS = 1.2;
const AGAINST_PORTKEY: Bound[] = [
  { of: `service c=${MOST} all`, against: `portkey c=${MOST} all`, atMost: 1 / OVER_PORTKEY },
  { of: `service c=${MOST} p99`, against: `portkey c=${MOST} p99`, atMost: 0.5 },
  {
    of: `service with ${MOST} keys c=${MOST} all`,
    against: `portkey c=${MOST} all`,
    atMost: 1 / OVER_PORTKEY_WITH_KEYS,
  },
];

function sideOf(bench: Workbench, target: Target, { connections, requests }: (typeof LOADS)[number]) {
  const name = `${target.name} c=${connections}`;
  const loaded = new Loaded(name);
  let writtenMs = 0;
  const run = async (round: number): Promise<Record<string, number>> => {
    const keys = await newKeys(bench, target.keys);
    const lanes = Array.from({ length: connections }, (_, lane) => {
      const bearer = keys[lane % keys.length]?.bearer ?? 'sk-bench';
      const one = wireRequest(target.path, bearer, request(target.model), target.headers);
      return Array.from({ length: requests / connections }, () => one);
    });
    const send = () => loaded.send(round, target.url, lanes, EXPECTED);
    const { milliseconds, whole } = target.isBusy === true ? await onBusyMachine(send) : await send();
    const begun = performance.now();
    if (keys.length > 0) await expectSettled(bench, keys, requests, USAGE);
    writtenMs = Math.max(writtenMs, performance.now() - begun);
    return { all: milliseconds, p50: quantile(whole, 0.5), p99: quantile(whole, 0.99) };
  };
  const side: Side = { name, isReference: target.keys === 0, run };
  const written = () => `${name}: all of it was written down at most ${Math.round(writtenMs)} ms after the last answer`;
  return { side, notes: () => [loaded.toString(), ...(target.keys > 0 ? [written()] : [])] };
}
