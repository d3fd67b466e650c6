import { readFileSync } from 'node:fs';
import { quantile, type BenchCase, type Side } from './bench';
import { load, wireRequest, type Expected } from './loader';
import { expectSettled, newKeys, serveModel, type Key } from './traffic';
import { DONE, EVENTS, PACES, PIECES, STREAM_USAGE } from './worker-answers';
import type { Serving, Workbench } from './workbench';

const SERVICE_PATH = '/v1/inference/chat/completions';
const PATH = '/v1/chat/completions';

/** Streams at a time, and one after the other. */
const CONNECTIONS = 8;
const REQUESTS = 5;
/** Streams that are open at once. */
const OPEN = 1_000;
const MOST_MEGABYTES = 400;
const SAMPLED_EVERY_MS = 50;

const EXPECTED_BODY = Buffer.from(EVENTS.join('') + DONE);
const EXPECTED: Expected = { status: 200, isRight: (body) => body.equals(EXPECTED_BODY) };

interface Target {
  name: string;
  serving: Serving;
  path: string;
  /** Whether it requires a key. */
  needsKey: boolean;
}

/** Both the logical and the exact name. */
const QUICK = 'w';
const SLOW = 'slow';
/** The duration of a stream of the fast model. */
const STREAM_MS = PIECES * (PACES[QUICK] ?? NaN);

/** Compared with the worker alone: the gateway of the case `chat` answers streams with 500. */
export const stream: BenchCase = {
  name: 'stream',
  what: `P5: chat, streamed, ${PIECES} pieces; first token at ${CONNECTIONS} streams, memory at ${OPEN} that are open at once`,
  async prepare(bench) {
    const worker = await bench.beside('worker.ts');
    for (const model of [QUICK, SLOW])
      await serveModel(bench, { logicalModel: model, exactModel: model, endpoint: worker.url });
    // A process that has done nothing else: its memory is that of the streams.
    const replica = await bench.replica();
    const direct: Target = { name: 'worker', serving: worker, path: PATH, needsKey: false };
    const service: Target = { name: 'service', serving: replica, path: SERVICE_PATH, needsKey: true };
    const notes: string[] = [];
    return {
      sides: [firstToken(bench, direct), firstToken(bench, service), openStreams(bench, service, worker, notes)],
      bounds: [
        { of: 'service first token p50', over: 'worker first token p50', atMost: 3 },
        { of: `service with ${OPEN} open`, atMost: MOST_MEGABYTES },
      ],
      notes: () => notes,
      close: async () => {
        await replica.stop();
        await worker.stop();
      },
    };
  },
};

const request = (model: string): string =>
  JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }], stream: true });

function requests(target: Target, model: string, keys: readonly Key[], connections: number, each: number): Buffer[][] {
  const one = wireRequest(target.path, keys[0]?.bearer ?? 'sk-bench', request(model));
  return Array.from({ length: connections }, () => Array.from({ length: each }, () => one));
}

/**
 * From the request to the first byte of the stream: for independent streams that begin one after the other,
 * and for streams that all begin together, each of which waits for the previous ones.
 */
function firstToken(bench: Workbench, target: Target): Side {
  const measure = async (apartMs: number, each: number): Promise<readonly number[]> => {
    const keys = await newKeys(bench, target.needsKey ? 1 : 0);
    const lanes = requests(target, QUICK, keys, CONNECTIONS, each);
    const { first } = await load(target.serving.url, lanes, EXPECTED, apartMs);
    if (keys.length > 0) await expectSettled(bench, keys, CONNECTIONS * each, STREAM_USAGE);
    return first;
  };
  const run = async (_round: number, isMeasured: boolean): Promise<Record<string, number>> => {
    const each = isMeasured ? REQUESTS : 1;
    const apart = await measure(STREAM_MS / CONNECTIONS, each);
    const together = await measure(0, each);
    return {
      'first token p50': quantile(apart, 0.5),
      'first token p99': quantile(apart, 0.99),
      'first token p50, all together': quantile(together, 0.5),
      'first token p99, all together': quantile(together, 0.99),
    };
  };
  return { name: target.name, isReference: !target.needsKey, run };
}

/** The largest resident memory in megabytes while this many streams are open. */
function openStreams(bench: Workbench, target: Target, worker: Serving, notes: string[]): Side {
  const { serving } = target;
  const run = async (round: number): Promise<number> => {
    const keys = await newKeys(bench, target.needsKey ? 1 : 0);
    await mostOpen(worker);
    const idle = residentMegabytes(serving);
    let most = 0;
    const sample = () => (most = Math.max(most, residentMegabytes(serving)));
    const timer = setInterval(sample, SAMPLED_EVERY_MS);
    try {
      const { milliseconds, first, busy } = await load(serving.url, requests(target, SLOW, keys, OPEN, 1), EXPECTED);
      sample();
      const open = await mostOpen(worker);
      if (open !== OPEN) throw new Error(`${open} streams of ${target.name} were open at once`);
      const [p50, last] = [quantile(first, 0.5), quantile(first, 1)].map(Math.round);
      notes.push(
        `round ${round}: ${idle.toFixed()} MB before; ${OPEN} streams took ${Math.round(milliseconds)} ms, their first tokens ${p50} ms (p50), ` +
          `at most ${last} ms; the loader was busy ${Math.round((busy * 100) / milliseconds)} % of the time`,
      );
    } finally {
      clearInterval(timer);
    }
    if (keys.length > 0) await expectSettled(bench, keys, OPEN, STREAM_USAGE);
    return most;
  };
  return { name: `${target.name} with ${OPEN} open`, unit: 'MB', run };
}

/** The maximal number of open streams at the worker since the last query. */
const mostOpen = async ({ url }: Serving): Promise<number> => Number(await (await fetch(`${url}/most-open`)).text());

function residentMegabytes({ process: { pid } }: Serving): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1_024) / 1_000_000;
}
