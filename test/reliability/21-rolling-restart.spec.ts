import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm } from '../support/form';
import { InferenceWorker, streams } from '../support/inference-worker';
import { expectSoundLedger } from '../support/ledger';
import { ask, Replicas, TOKEN, type Replica, type Reply } from '../support/replicas';

const RATE = inForm(60, 300);
/** Both processes are replaced in each. */
const ROUNDS = inForm(1, 5);
const STREAMS = inForm(5, 20);

/** How a request over a connection that stays open ended. */
type Outcome = 'answered' | 'refused while it stops' | 'refused while busy' | 'no new connections' | 'lost';

/** Codes of refusals that a busy machine causes at any time: nothing was done, and `Retry-After` is sent. */
const BUSY = ['overloaded', 'database_busy', 'database_unavailable'];

describe('two processes that are replaced one after the other', () => {
  let worker: InferenceWorker;
  let replicas: Replicas;
  /** Of requests whose connections ended before a reply. */
  const unread: string[] = [];
  /** Why requests were lost. */
  const reasons: string[] = [];
  /** Asked to stop. What these refuse as busy is lost: nothing but the restart may be the cause. */
  const retiring = new Set<Replica>();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    replicas = await Replicas.start(2, {
      LOG_LEVEL: 'info',
      WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}`,
    });
  });
  afterAll(async () => {
    agent.destroy();
    await replicas.close();
    await worker.close();
    printFigures();
  });

  const send = (replica: Replica): Promise<Outcome> =>
    new Promise((resolve) => {
      const id = randomUUID();
      const headers = { authorization: `Bearer ${TOKEN}`, 'x-request-id': id };
      const sent = request(`${replica.url}/v1/cluster`, { agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('error', ({ message }) => {
          reasons.push(`${answer.statusCode}: ${message}`);
          resolve('lost');
        });
        answer.on('end', () => {
          const closes = answer.headers.connection === 'close';
          if (answer.statusCode === 200) return resolve('answered');
          if (answer.statusCode === 503 && closes) return resolve('refused while it stops');
          const isBusy = answer.statusCode === 503 && BUSY.some((code) => text.includes(`"${code}"`));
          if (isBusy && answer.headers['retry-after'] !== undefined && !retiring.has(replica))
            return resolve('refused while busy');
          reasons.push(`${answer.statusCode}, connection: ${answer.headers.connection}, ${text}`);
          resolve('lost');
        });
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A request that meets the end of an idle connection was not read (RFC 9112, section 9.3.1).
        // Nor was one on a new connection that waited to be accepted when the process stopped to listen.
        if (error.code === 'ECONNRESET') unread.push(id);
        if (['ECONNREFUSED', 'ECONNRESET'].includes(error.code ?? '')) return resolve('no new connections');
        reasons.push(`${error.code}, ${sent.reusedSocket ? 'open before' : 'new'}`);
        resolve('lost');
      });
      sent.end();
    });

  it('lose no request and no stream, and end in time', async () => {
    const model = await replicas.routeTo([await readyProfile(replicas.organisation(), worker)]);
    const { raw_key: key } = await createKey(replicas.organisation(), { budget_usd: 1_000 });
    const outcomes: Record<Outcome, number> = {
      answered: 0,
      'refused while it stops': 0,
      'refused while busy': 0,
      'no new connections': 0,
      lost: 0,
    };
    let over = false;
    const waiting: Promise<void>[] = [];
    const traffic = (async () => {
      const began = performance.now();
      for (let n = 0; !over; n++) {
        waiting.push(send(replicas.of(n)).then((outcome) => void outcomes[outcome]++));
        await sleep(Math.max(0, began + ((n + 1) * 1_000) / RATE - performance.now()));
      }
    })();

    const stops: number[] = [];
    let logged = '';
    const streamed: Reply[] = [];
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const retired = replicas.of(round);
      let goOn = () => {};
      const held = new Promise<void>((resolve) => (goOn = resolve));
      worker.behaves(streams({ before: (place) => (place === 2 ? held : undefined) }));
      const open = Array.from({ length: STREAMS }, () =>
        ask(retired, key, CHAT, question(model, { max_tokens: 50, stream: true })),
      );
      await eventually(() => expect(worker.underWay).toBe(STREAMS));
      const stoppedAt = performance.now();
      retiring.add(retired);
      process.kill(retired.process.process.pid ?? 0, 'SIGTERM');
      await sleep(300);
      goOn();
      streamed.push(...(await Promise.all(open)));
      expect(await retired.process.exit).toBe(0);
      stops.push(performance.now() - stoppedAt);
      logged += retired.process.output + retired.process.errors;
      await replicas.replace(retired);
      await sleep(500);
    }
    over = true;
    await traffic;
    await Promise.all(waiting);

    const attack = `${2 * ROUNDS} stops under ${RATE} requests/s over open connections, ${STREAMS} streams in each`;
    const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
      recordFigure({ row: 21, attack, measure, value, unit, bound });
    record('requests answered', outcomes.answered, { atLeast: RATE });
    // Other tests may share the processors; in the long form nothing does.
    record(
      'refused because the machine is busy, with Retry-After',
      outcomes['refused while busy'],
      inForm<Figure['bound']>(undefined, { atMost: 0 }),
    );
    record('refused with 503 and Connection: close', outcomes['refused while it stops'], undefined);
    record('met a closed port, unread', outcomes['no new connections'], undefined);
    record('requests lost', outcomes.lost, { atMost: 0 });
    const broken = streamed.filter(({ status, text }) => status !== 200 || !text.endsWith('data: [DONE]\n\n')).length;
    record('streams cut', broken, { atMost: 0 });
    record('longest stop', Math.max(...stops) / 1_000, { atMost: 25 }, 's');
    expect(reasons.slice(0, 10)).toEqual([]);
    expect(logged).toContain('/v1/cluster');
    expect(unread.filter((id) => logged.includes(id))).toEqual([]);
    await eventually(async () => {
      const { rows } = await replicas.db.query('select count(*)::int as n from usage_records');
      expect(rows).toEqual([{ n: streamed.length }]);
    });
    await expectSoundLedger(replicas.db);
  }, 600_000);
});
