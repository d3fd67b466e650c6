import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT, createKey, question, readyProfile, type Key } from '../support/chat';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { freePorts } from '../support/free-ports';
import { expectSoundLedger, moneyOf } from '../support/ledger';
import { seeded } from '../support/random';
import { Replicas, type Replica } from '../support/replicas';

const KILLS = inForm(6, 60);
const CLIENTS = 12;
/** Longer than any client of a chat should wait for a reply. */
const ANSWERED_WITHIN_MS = 20_000;
const RUN_MS = 10 * 60_000;

/** How a chat ended for its client. */
type Outcome =
  | 'a whole answer'
  | 'a whole stream'
  | 'a refusal that says why'
  | 'a stream that ends with an error'
  | 'a connection that breaks in the middle of an answer'
  | `fault: ${string}`;

/** An inference worker that is killed and started again at its address. */
class MortalWorker {
  private child: ChildProcess | undefined;

  constructor(readonly port: number) {}

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const file = join(__dirname, '../support/worker-process.ts');
    this.child = spawn(process.execPath, ['--import', 'tsx', file, String(this.port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(this.child.stdout!, 'data');
  }

  /** Starts it again if it was killed. */
  async restart(): Promise<void> {
    if (this.child === undefined) await this.start();
  }

  async kill(): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    this.child = undefined;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
}

describe('chats whose inference workers are killed', () => {
  let replicas: Replicas;
  let workers: MortalWorker[];
  let key: Key;
  let model: string;

  beforeAll(async () => {
    workers = (await freePorts(2)).map((port) => new MortalWorker(port));
    for (const worker of workers) await worker.start();
    const allowed = ['llama-8b.models.svc', ...workers.map(({ host }) => host)].join(',');
    replicas = await Replicas.start(2, { LOG_LEVEL: 'fatal', WORKER_ENDPOINT_ALLOW: allowed });
    const org = replicas.organisation();
    key = await createKey(org, { budget_usd: 1_000 });
    const profiles: string[] = [];
    for (const { host } of workers) profiles.push(await readyProfile(org, { url: `http://${host}` }));
    model = await replicas.routeTo(profiles);
  }, RUN_MS);
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.kill()));
    await replicas.close();
    printFigures();
  });

  async function chat({ url }: Replica, isStream: boolean): Promise<Outcome> {
    const body = JSON.stringify(question(model, isStream ? { stream: true } : {}));
    const headers = { authorization: `Bearer ${key.raw_key}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(ANSWERED_WITHIN_MS);
    let status = 0;
    try {
      const reply = await fetch(url + CHAT, { method: 'POST', headers, body, signal });
      ({ status } = reply);
      const text = await reply.text();
      return outcomeOf(status, text, isStream);
    } catch (error) {
      if (signal.aborted) return `fault: no answer within ${ANSWERED_WITHIN_MS} ms`;
      // Of a whole answer, the client knows its length.
      return status === 200 && !isStream
        ? 'a connection that breaks in the middle of an answer'
        : `fault: ${String(error)} after ${status}`;
    }
  }

  it(
    'all get an answer or a clear error, and are settled once',
    async () => {
      const random = seeded(SEED);
      const outcomes: Partial<Record<Outcome, number>> = {};
      let [chats, kills] = [0, 0];
      let over = false;
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let n = client; !over; n++) {
          const outcome = await chat(replicas.of(n), n % 3 !== 0);
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
          chats++;
          await sleep(5);
        }
      });
      // One at a time, and now and then both.
      for (; kills < KILLS; kills++) {
        await sleep(200 + random() * 600);
        const victim = workers[kills % workers.length];
        await victim?.kill();
        if (kills % 5 === 4) {
          for (const worker of workers) await worker.kill();
          await sleep(300);
        }
        await Promise.all(workers.map((worker) => worker.restart()));
      }
      over = true;
      await Promise.all(clients);

      // What is left open is released by the sweeps of the service.
      await eventually(async () => expect((await moneyOf(replicas.db, key.key_id)).open).toBe(0), 60_000);
      await expectSoundLedger(replicas.db);
      const { entries } = await moneyOf(replicas.db, key.key_id);
      const { reserve = 0, settle = 0, release = 0, charge = 0 } = entries;
      // Of chats without a reservation, it may come later than what they waited for.
      let recorded = 0;
      await eventually(async () => {
        const { rows } = await replicas.db.query<{ n: number }>(
          'select count(*)::int as n from usage_records where key_id = $1',
          [key.key_id],
        );
        recorded = rows[0]?.n ?? 0;
        expect(recorded).toBe(chats);
      });
      const faults = Object.entries(outcomes).filter(([outcome]) => outcome.startsWith('fault'));
      expect(faults).toEqual([]);
      const attack = `${chats} chats of ${CLIENTS} clients at two processes, ${kills} kills of their workers, seed ${SEED}`;
      const record = (measure: string, value: number, bound: Figure['bound']): void =>
        recordFigure({ row: 1, attack, measure, value, unit: '', bound });
      record('chats without an answer or a clear error', faults.length, { atMost: 0 });
      for (const [outcome, count] of Object.entries(outcomes)) record(outcome, count ?? 0, undefined);
      record('chats without their usage record', Math.abs(chats - recorded), { atMost: 0 });
      record('admissions that were not closed exactly once', Math.abs(reserve - settle - release - charge), {
        atMost: 0,
      });
      expect(outcomes['a whole answer'] ?? 0).toBeGreaterThan(kills);
      expect(outcomes['a whole stream'] ?? 0).toBeGreaterThan(kills);
      expect(chats).toBeGreaterThan((outcomes['a whole answer'] ?? 0) + (outcomes['a whole stream'] ?? 0));
    },
    RUN_MS,
  );
});

function outcomeOf(status: number, text: string, isStream: boolean): Outcome {
  if (status !== 200) {
    const isProblem = [429, 502, 503, 504].includes(status) && /"message":"[^"]+/.test(text);
    return isProblem ? 'a refusal that says why' : `fault: ${status} ${text.slice(0, 200)}`;
  }
  if (!isStream) return /"finish_reason":"stop"/.test(text) ? 'a whole answer' : `fault: half an answer`;
  if (text.endsWith('data: [DONE]\n\n'))
    return /"error":/.test(text) ? 'a stream that ends with an error' : 'a whole stream';
  return /"error":\{/.test(text)
    ? 'a stream that ends with an error'
    : `fault: a stream that just ends: ${text.slice(-200)}`;
}
