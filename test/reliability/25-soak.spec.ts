import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { InferenceWorker } from '../support/inference-worker';
import { Replicas } from '../support/replicas';
import { residentMib, servicePid } from '../support/resident';
import { call, during, failed, mixed } from '../support/steady-load';

/** The goal is 60. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 4);
const RATE = 60;
/** Before the first sample, code is compiled and caches fill. */
const WARM_UP_MS = 30_000;
const SAMPLES = 12;
const RUN_MS = (MINUTES + 5) * 60_000;

/** Of a line through the samples, in units per ten minutes. */
function slopeOf(samples: readonly { readonly at: number; readonly value: number }[]): number {
  const mean = (of: (one: (typeof samples)[number]) => number): number =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [at, value] = [mean((one) => one.at), mean((one) => one.value)];
  const covariance = mean((one) => (one.at - at) * (one.value - value));
  return (covariance / mean((one) => (one.at - at) ** 2)) * 600_000;
}

describe(`mixed traffic for ${MINUTES} minutes`, () => {
  let worker: InferenceWorker;
  let replicas: Replicas;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    const allowed = `llama-8b.models.svc,${worker.host}`;
    const variables = { WORKER_ENDPOINT_ALLOW: allowed, LOG_LEVEL: 'fatal' };
    replicas = await Replicas.start(1, variables);
  }, 60_000);
  afterAll(async () => {
    await replicas.close();
    await worker.close();
    printFigures();
  });

  it(
    'leaves memory and open files as they are',
    async () => {
      const replica = replicas.of(0);
      const org = replicas.organisation();
      const model = await replicas.routeTo([await readyProfile(org, worker)]);
      const { raw_key: key } = await createKey(org, { budget_usd: 1_000_000 });
      const pid = servicePid(replica.process);
      const files = (): number => readdirSync(`/proc/${pid}/fd`).length;
      const heapMib = async (): Promise<number> => {
        const { text } = await call(replica, '/metrics');
        return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20;
      };
      const heap: { at: number; value: number }[] = [];
      const open: number[] = [];
      const resident: number[] = [];
      const replies = await during(
        async () => {
          await sleep(WARM_UP_MS);
          const began = performance.now();
          for (let n = 0; n < SAMPLES; n++) {
            await sleep((MINUTES * 60_000 - WARM_UP_MS) / SAMPLES);
            // The lowest of some moments is nearest to what stays after a collection.
            let lowest = Infinity;
            for (let moment = 0; moment < 20; moment++) {
              lowest = Math.min(lowest, await heapMib());
              await sleep(100);
            }
            heap.push({ at: performance.now() - began, value: lowest });
            open.push(files());
            resident.push(residentMib(pid));
          }
        },
        [...mixed(replica), () => call(replica, CHAT, question(model), key)],
        RATE,
      );
      const attack = `${MINUTES} minutes of ${RATE} requests/s of five kinds`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 25, attack, measure, value, unit, bound });
      const early = Math.max(...open.slice(0, SAMPLES / 3));
      record('requests', replies.flat().length, { atLeast: MINUTES * 60 * RATE * 0.8 });
      record('replies with 500', failed(replies.flat()), { atMost: 0 });
      record('open files in the last third over those in the first', Math.max(...open.slice(-SAMPLES / 3)) - early, {
        atMost: 10,
      });
      record('resident memory', Math.max(...resident), { atMost: 512 }, 'MiB');
      record('growth of the heap in ten minutes', slopeOf(heap), { atMost: MINUTES < 30 ? 15 : 1 }, 'MiB');
    },
    RUN_MS,
  );
});
