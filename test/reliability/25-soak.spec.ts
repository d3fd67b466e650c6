import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { fullUnless } from '../support/form';
import { Heap, WITH_DEBUGGER } from '../support/heap';
import { InferenceWorker } from '../support/inference-worker';
import { Replicas, type Reply } from '../support/replicas';
import { residentMib, servicePid } from '../support/resident';
import { call, during, failed, mixed, NO_ANSWER } from '../support/steady-load';

const MINUTES = fullUnless('SOAK_MINUTES', 60, 25);
const RATE = 60;
/** Before the first sample, code is compiled and caches fill. */
const WARM_UP_MS = 30_000;
const SAMPLES = 12;
/** Peaks between the samples. */
const RESIDENT_EVERY_MS = 1_000;
/**
 * MiB in ten minutes, in the second half, for resident memory right after a collection. The heap may grow by
 * 1. Resident memory has pages besides that V8 and malloc keep for a while: it was within 2 MiB of a line in
 * a trial, but for one sample in twelve that was 12 above it. At the end of half an hour such a sample makes
 * a slope of 3.4. A leak beside the heap that is below this bound is below 24 MiB an hour.
 */
const RESIDENT_GROWTH = 4;
/** Connections of clients, to workers and to PostgreSQL that nobody uses any more are closed in this time. */
const IDLE_WITHIN_MS = 120_000;
const IDLE_POLL_MS = 1_000;
const START_MS = 10_000;
const RUN_MS = (MINUTES + 8) * 60_000;

interface Sample {
  readonly at: number;
  readonly value: number;
}

/** Of a line through the samples, in units per ten minutes. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number): number => samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [at, value] = [mean((one) => one.at), mean((one) => one.value)];
  const covariance = mean((one) => (one.at - at) * (one.value - value));
  return (covariance / mean((one) => (one.at - at) ** 2)) * 600_000;
}

const NO_HEADERS = new Headers();
const ANSWERED_WITHIN_MS = 60_000;

/** The texts of an hour would fill the memory of this process. The run ends without an answer to each. */
const withoutText = (request: () => Promise<Reply>) => async (): Promise<Reply> => {
  const late = new AbortController();
  const asked = performance.now();
  const { status, askedAt, answeredAt } = await Promise.race([
    request(),
    sleep(ANSWERED_WITHIN_MS, undefined, { signal: late.signal }).then(() => ({
      status: NO_ANSWER,
      askedAt: asked,
      answeredAt: performance.now(),
    })),
  ]);
  late.abort();
  return { status, askedAt, answeredAt, text: '', headers: NO_HEADERS };
};

describe(`mixed traffic for ${MINUTES} minutes`, () => {
  let worker: InferenceWorker;
  let replicas: Replicas;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    const allowed = `llama-8b.models.svc,${worker.host}`;
    const variables = { WORKER_ENDPOINT_ALLOW: allowed, LOG_LEVEL: 'fatal', ...WITH_DEBUGGER };
    replicas = await Replicas.start(1, variables);
  });
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
      // A service under load has as many connections as its clients: what leaks is still open without any.
      const openWhenIdle = async (withinMs: number, enough = 0): Promise<number> => {
        let least = Infinity;
        for (let waited = 0; least > enough && waited < withinMs; waited += IDLE_POLL_MS) {
          await sleep(IDLE_POLL_MS);
          least = Math.min(least, readdirSync(`/proc/${pid}/fd`).length);
        }
        return least;
      };
      const openBefore = await openWhenIdle(START_MS);
      const kept = await Heap.of(replica.process);
      const [heap, resident]: [Sample[], Sample[]] = [[], []];
      let highest = 0;
      const replies = await during(
        async () => {
          await sleep(WARM_UP_MS);
          const began = performance.now();
          const elapsed = (): number => performance.now() - began;
          for (let n = 1; n <= SAMPLES; n++) {
            const due = ((MINUTES * 60_000 - WARM_UP_MS) / SAMPLES) * n;
            while (elapsed() < due) {
              await sleep(Math.min(RESIDENT_EVERY_MS, Math.max(due - elapsed(), 1)));
              highest = Math.max(highest, residentMib(pid));
            }
            heap.push({ at: elapsed(), value: await kept.keptMib() });
            resident.push({ at: elapsed(), value: residentMib(pid) });
          }
        },
        [...mixed(replica), () => call(replica, CHAT, question(model), key)].map(withoutText),
        RATE,
      );
      kept.close();
      const isShort = MINUTES < 30;
      const attack = `${MINUTES} minutes of ${RATE} requests/s of five kinds`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 25, attack, measure, value, unit, bound });
      const openAfter = await openWhenIdle(IDLE_WITHIN_MS, openBefore);
      record('minutes', MINUTES, { atLeast: 60 });
      record('requests', replies.flat().length, { atLeast: MINUTES * 60 * RATE * 0.8 });
      record('replies with 500', failed(replies.flat()), { atMost: 0 });
      const unanswered = replies.flat().filter(({ status }) => status === NO_ANSWER);
      record('requests without an answer in a minute', unanswered.length, { atMost: 0 });
      record('open files after the traffic over those before', openAfter - openBefore, { atMost: 10 });
      record('resident memory', highest, { atMost: 512 }, 'MiB');
      record('growth of the heap in ten minutes', slopeOf(heap), { atMost: isShort ? 15 : 1 }, 'MiB');
      record(
        'growth of resident memory in ten minutes, second half',
        slopeOf(resident.slice(SAMPLES / 2)),
        { atMost: isShort ? 60 : RESIDENT_GROWTH },
        'MiB',
      );
    },
    RUN_MS,
  );
});
